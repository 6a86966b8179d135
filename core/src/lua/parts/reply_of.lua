-- The reply of `work`; if a command refuses, that refusal.
local function reply_of(work, ...)
  local done, reply = pcall(work, ...)
  if done or type(reply) == 'table' then return reply end
  return {err = tostring(reply)}
end

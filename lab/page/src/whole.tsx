// A text in which a server's number, and a number with its unit, stay in one line.
const whole = /(（服务器 \d+）|on server \d+|\d[\d,.]* (?:ms|s)\b)/;

export function Whole({ text }: { text: string }) {
  return <>{text.split(whole).map((part, at) => (at % 2 === 1 ? <span class="whole">{part}</span> : part))}</>;
}

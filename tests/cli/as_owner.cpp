// as_owner [-k] COMMAND...: what sudo does, when it is installed set-user-ID: becomes the owner of
// this file altogether and runs COMMAND. With -k it keeps the real user, as mount(8) does.
#include <unistd.h>

#include <cstdio>
#include <cstring>

int main(int count, char** arguments) {
  const bool keeps = count > 1 && std::strcmp(arguments[1], "-k") == 0;
  char** const command = arguments + (keeps ? 2 : 1);
  const uid_t owner = geteuid();
  if (!keeps && setresuid(owner, owner, owner) != 0) {
    std::perror("setresuid");
    return 1;
  }
  execvp(command[0], command);
  std::perror(command[0]);
  return 127;
}

#include "search/checkpoint_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace interlock::sim {
namespace {

// The order of the bytes in a number is that of the machine, which this makes part of the format.
constexpr char magic[] = "interlock states";
constexpr std::size_t magic_bytes = sizeof(magic) - 1;
constexpr std::uint64_t format = 1;
constexpr std::size_t checksum_bytes = sizeof(std::uint64_t);
constexpr std::size_t least_bytes = magic_bytes + sizeof format + checksum_bytes;

// False: errno says why.
bool write_all(int descriptor, const unsigned char* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t done = ::write(descriptor, bytes, count);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return false;
    bytes += done;
    count -= static_cast<std::size_t>(done);
  }
  return true;
}

// How many bytes came, fewer only at the end of the file or after an error.
std::size_t read_all(int descriptor, unsigned char* bytes, std::size_t count) {
  std::size_t got = 0;
  while (got < count) {
    const ssize_t done = ::read(descriptor, bytes + got, count - got);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) break;
    got += static_cast<std::size_t>(done);
  }
  return got;
}

std::string folder_of(const std::string& file) {
  const std::size_t slash = file.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : file.substr(0, slash);
}

Error cannot(Errc code, const char* what, const std::string& file, const std::string& why) {
  return Error(code, std::string("the checkpoint ") + file + " cannot be " + what + ": " + why);
}

bool begins_as_checkpoint(int descriptor) {
  unsigned char begin[magic_bytes];
  return read_all(descriptor, begin, magic_bytes) == magic_bytes &&
         std::memcmp(begin, magic, magic_bytes) == 0;
}

}  // namespace

void Checksum::add(const unsigned char* bytes, std::size_t count) {
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;
  constexpr std::size_t word = sizeof(std::uint64_t);
  for (std::size_t at = 0; at < count; at += word) {
    std::uint64_t next = 0;
    std::memcpy(&next, bytes + at, std::min(word, count - at));
    value_ = std::rotl((value_ ^ next) * odd, 29);
  }
  value_ = (value_ ^ count) * odd;
}

CheckpointWriter::CheckpointWriter(std::string file)
    : file_(std::move(file)), buffer_(checkpoint_buffer) {
  draft_.reserve(file_.size() + 16);
}

CheckpointWriter::~CheckpointWriter() {
  discard();
}

void CheckpointWriter::begin() {
  discard();
  used_ = 0;
  error_ = 0;
  checksum_ = Checksum();
  draft_ = file_;
  draft_ += ".XXXXXX";
  descriptor_ = ::mkostemp(draft_.data(), O_CLOEXEC);
  if (descriptor_ < 0) fail();
  bytes(magic, magic_bytes);
  number(format);
}

void CheckpointWriter::fail() {
  if (error_ == 0) error_ = errno;
}

void CheckpointWriter::number(std::uint64_t value) {
  bytes(&value, sizeof value);
}

void CheckpointWriter::text(const std::string& value) {
  number(value.size());
  bytes(value.data(), value.size());
}

void CheckpointWriter::bytes(const void* from, std::size_t count) {
  const auto* next = static_cast<const unsigned char*>(from);
  while (count > 0) {
    if (used_ == buffer_.size()) flush();
    const std::size_t some = std::min(count, buffer_.size() - used_);
    std::memcpy(buffer_.data() + used_, next, some);
    used_ += some;
    next += some;
    count -= some;
  }
}

void CheckpointWriter::flush() {
  checksum_.add(buffer_.data(), used_);
  if (error_ == 0 && !write_all(descriptor_, buffer_.data(), used_)) fail();
  used_ = 0;
}

int CheckpointWriter::finish() {
  flush();
  const std::uint64_t sum = checksum_.value();
  unsigned char last[checksum_bytes];
  std::memcpy(last, &sum, sizeof sum);
  if (error_ == 0 && !write_all(descriptor_, last, sizeof last)) fail();
  if (error_ == 0) error_ = sync_and_rename();
  const int error = error_;
  discard();
  return error;
}

int CheckpointWriter::sync_and_rename() {
  if (::fsync(descriptor_) != 0) return errno;
  // A network file system may tell only now that the content has not arrived.
  const bool closed = ::close(std::exchange(descriptor_, -1)) == 0;
  if (!closed || std::rename(draft_.c_str(), file_.c_str()) != 0) {
    const int error = errno;
    ::unlink(draft_.c_str());
    return error;
  }
  // The file is there now; after a crash of the machine the one before may be there again, if the
  // file system cannot do this.
  const int folder = ::open(folder_of(file_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) {
    static_cast<void>(::fsync(folder));
    ::close(folder);
  }
  return 0;
}

void CheckpointWriter::discard() {
  if (descriptor_ < 0) return;
  ::close(std::exchange(descriptor_, -1));
  ::unlink(draft_.c_str());
}

std::optional<Error> why_not_written(const std::string& file) {
  const auto refused = [&file](Errc code, const std::string& why) {
    return cannot(code, "written", file,
                  why + ": name a new file in a folder that you may write to");
  };
  struct stat found {};
  const bool there = ::lstat(file.c_str(), &found) == 0;
  if (there && !S_ISREG(found.st_mode)) {
    return refused(Errc::invalid_argument, "it is no plain file");
  }
  if (there && found.st_size > 0) {
    const int old = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (old < 0) return refused(Errc::unavailable, std::strerror(errno));
    const bool is_one = begins_as_checkpoint(old);
    ::close(old);
    if (!is_one) return refused(Errc::invalid_argument, "the file that is there is no checkpoint");
  }
  // Whether a draft can be made there.
  CheckpointWriter trial(file);
  trial.begin();
  const int error = trial.error();
  if (error == 0) return std::nullopt;
  return refused(Errc::unavailable, std::strerror(error));
}

CheckpointReader::~CheckpointReader() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::optional<Error> CheckpointReader::open(const std::string& file) {
  buffer_.resize(checkpoint_buffer);
  descriptor_ = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor_ < 0) {
    return cannot(Errc::unavailable, "read", file,
                  std::string(std::strerror(errno)) + ": name a file that was written before");
  }
  std::optional<Error> wrong = check(file);
  if (wrong) return wrong;
  if (::lseek(descriptor_, 0, SEEK_SET) != 0) {
    return cannot(Errc::unavailable, "read", file, std::string(std::strerror(errno)));
  }
  at_ = filled_ = 0;
  unsigned char begin[magic_bytes];
  bytes(begin, magic_bytes);
  if (const std::uint64_t version = number(); version != format) {
    return cannot(Errc::invalid_argument, "used", file,
                  "its format has number " + std::to_string(version) + ", and this version reads " +
                      std::to_string(format) + ": begin the search anew");
  }
  return std::nullopt;
}

// The content is trusted as far as the checksum goes, so nobody else may have written it.
std::optional<Error> CheckpointReader::check(const std::string& file) {
  const auto refused = [&file](const std::string& why) {
    return cannot(Errc::invalid_argument, "used", file, why);
  };
  struct stat found {};
  if (::fstat(descriptor_, &found) != 0 || !S_ISREG(found.st_mode)) {
    return refused("it is no plain file: name a file that was written before");
  }
  if (found.st_uid != ::geteuid()) {
    return refused("it belongs to another user: begin the search anew");
  }
  if ((found.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return refused(
        "other users may write to it: begin the search anew, or if none has, chmod go-w");
  }
  if (!begins_as_checkpoint(descriptor_)) {
    return refused("it is no checkpoint: name a file that was written before");
  }
  const auto size = static_cast<std::uint64_t>(found.st_size);
  const char* const damaged = "it is damaged: begin the search anew";
  if (size < least_bytes || ::lseek(descriptor_, 0, SEEK_SET) != 0) return refused(damaged);
  Checksum sum;
  left_ = size - checksum_bytes;
  while (left_ > 0) {
    if (!fill()) return refused(damaged);
    sum.add(buffer_.data(), filled_);
    left_ -= filled_;
  }
  unsigned char last[checksum_bytes];
  const bool whole = read_all(descriptor_, last, sizeof last) == sizeof last;
  const std::uint64_t expected = sum.value();
  if (!whole || std::memcmp(last, &expected, sizeof last) != 0) return refused(damaged);
  left_ = size - checksum_bytes;
  return std::nullopt;
}

// The next block, of at most `left_` bytes.
bool CheckpointReader::fill() {
  const std::size_t count =
      static_cast<std::size_t>(std::min<std::uint64_t>(left_, buffer_.size()));
  at_ = 0;
  filled_ = read_all(descriptor_, buffer_.data(), count);
  return count > 0 && filled_ == count;
}

std::uint64_t CheckpointReader::number() {
  std::uint64_t value = 0;
  bytes(&value, sizeof value);
  return value;
}

std::string CheckpointReader::text() {
  constexpr std::uint64_t most = std::uint64_t{1} << 24;
  const std::uint64_t size = number();
  if (size > most || size > left_) {
    is_sound_ = false;
    return {};
  }
  std::string value(static_cast<std::size_t>(size), '\0');
  bytes(value.data(), value.size());
  return value;
}

void CheckpointReader::bytes(void* to, std::size_t count) {
  auto* next = static_cast<unsigned char*>(to);
  if (count > left_) is_sound_ = false;
  if (!is_sound_) {
    std::memset(next, 0, count);
    return;
  }
  while (count > 0) {
    if (at_ == filled_ && !fill()) {
      is_sound_ = false;
      return std::memset(next, 0, count), void();
    }
    const std::size_t some = std::min(count, filled_ - at_);
    std::memcpy(next, buffer_.data() + at_, some);
    at_ += some;
    next += some;
    count -= some;
    left_ -= some;
  }
}

}  // namespace interlock::sim

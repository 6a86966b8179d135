// The file of a checkpoint: numbers, texts and bytes, and a checksum of them all at its end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "interlock/error.hpp"

namespace interlock::sim {

// The checksum of blocks of bytes. If a single byte changes, it always changes, too; else most
// probably. Not SHA-1, which core has: that reads 170 MB a second, and the whole file of 480 MB is
// written in 0.3 s.
class Checksum {
 public:
  void add(const unsigned char* bytes, std::size_t count);
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0x243f6a8885a308d3;
};

// Bytes that are written or read at a time.
inline constexpr std::size_t checkpoint_buffer = std::size_t{1} << 16;

// Writes a draft beside the file, which then replaces the file. Allocates only in the constructor:
// a search may write its checkpoint when there is no memory left.
class CheckpointWriter {
 public:
  explicit CheckpointWriter(std::string file);
  ~CheckpointWriter();
  CheckpointWriter(const CheckpointWriter&) = delete;
  CheckpointWriter& operator=(const CheckpointWriter&) = delete;

  // Opens a new draft, and removes one that was not finished. What fails here or below is told by
  // finish().
  void begin();
  void number(std::uint64_t value);
  void text(const std::string& value);
  void bytes(const void* from, std::size_t count);
  // Returns when the file will be there after a crash of the machine, too. Not 0: the error because
  // of which it is what it was.
  int finish();
  // The first error of the system since begin(); 0: none.
  int error() const { return error_; }
  // Gives the draft up.
  void discard();

 private:
  void flush();
  void fail();
  int sync_and_rename();

  std::string file_;
  std::string draft_;
  std::vector<unsigned char> buffer_;
  std::size_t used_ = 0;
  Checksum checksum_;
  int descriptor_ = -1;
  int error_ = 0;
};

// Why `file` must not be replaced, or cannot be: it is no checkpoint, say. None: it can.
std::optional<Error> why_not_written(const std::string& file);

class CheckpointReader {
 public:
  CheckpointReader() = default;
  ~CheckpointReader();
  CheckpointReader(const CheckpointReader&) = delete;
  CheckpointReader& operator=(const CheckpointReader&) = delete;

  // Reads it once to see that it is whole, and that nobody else can have written it. None: it is.
  std::optional<Error> open(const std::string& file);
  // After the end these give zeros, and is_sound() is false.
  std::uint64_t number();
  std::string text();
  void bytes(void* to, std::size_t count);
  // Whether all that was read was there.
  bool is_sound() const { return is_sound_; }
  // Whether all of it was read.
  bool is_at_end() const { return left_ == 0; }

 private:
  std::optional<Error> check(const std::string& file);
  bool fill();

  std::vector<unsigned char> buffer_;
  std::size_t at_ = 0;
  std::size_t filled_ = 0;
  std::uint64_t left_ = 0;  // bytes that come before the checksum
  int descriptor_ = -1;
  bool is_sound_ = true;
};

}  // namespace interlock::sim

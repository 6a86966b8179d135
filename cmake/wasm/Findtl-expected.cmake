include("${CMAKE_CURRENT_LIST_DIR}/interlock_header_only.cmake")
interlock_header_only(tl::expected tl)
set(tl-expected_FOUND TRUE)

include("${CMAKE_CURRENT_LIST_DIR}/interlock_header_only.cmake")
interlock_header_only(nlohmann_json::nlohmann_json nlohmann)
set(nlohmann_json_FOUND TRUE)

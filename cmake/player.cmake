# The page of .html outputs: puts the parts of src/render/player together into one header, so that the program carries it.
set(player_folder ${PROJECT_SOURCE_DIR}/src/render/player)
set(player_parts player.js shaders.js motion.js controls.js)
file(READ ${player_folder}/player.html page)
file(READ ${player_folder}/player.css style)
set(script "")
foreach(part IN LISTS player_parts)
  file(READ ${player_folder}/${part} text)
  string(APPEND script "${text}")
endforeach()
string(REPLACE "/*STYLE*/" "${style}" page "${page}")
string(REPLACE "/*SCRIPT*/" "${script}" page "${page}")
set(header "// Made by cmake/player.cmake from src/render/player.
#pragma once
namespace pliant::render {
inline constexpr char kPlayerPage[] = R\"PLAYER(${page})PLAYER\";
}  // namespace pliant::render
")
set(header_file ${PROJECT_BINARY_DIR}/generated/render/player_page.h)
set(before "")
if(EXISTS ${header_file})
  file(READ ${header_file} before)
endif()
if(NOT before STREQUAL header)
  file(WRITE ${header_file} "${header}")
endif()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${player_folder}/player.html ${player_folder}/player.css)
foreach(part IN LISTS player_parts)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${player_folder}/${part})
endforeach()

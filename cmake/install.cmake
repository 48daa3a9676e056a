# What `cmake --install` copies, and the Debian package that `ew package` makes of it. A prefix holds everything that the
# command needs, and may be moved: bin/ew, lib/libeverwarp.so, and share/everwarp with machines, headers, studies, workloads,
# litmus tests and documents (core::home_directory() finds it beside the library).
set(EW_HOME share/everwarp)
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)  # tests are not installed, and need not be built
set_target_properties(ew PROPERTIES INSTALL_RPATH "$ORIGIN/../lib")
install(TARGETS ew RUNTIME DESTINATION bin)
install(TARGETS everwarp ew_program_clock LIBRARY DESTINATION lib)
install(FILES ${PROJECT_BINARY_DIR}/src/libcuda.so ${PROJECT_BINARY_DIR}/src/libcuda.so.1 DESTINATION lib)  # links to it
foreach(folder machines include studies litmus docs)
  install(DIRECTORY ${folder} DESTINATION ${EW_HOME})
endforeach()
install(DIRECTORY workloads DESTINATION ${EW_HOME} PATTERN CMakeLists.txt EXCLUDE)
install(FILES README.md LICENSE DESTINATION ${EW_HOME})
install(FILES cmake/everwarp.cmake DESTINATION ${EW_HOME}/cmake)
install(PROGRAMS bin/nvcc DESTINATION ${EW_HOME}/bin)

# Completion scripts and the manual page are made by the installed command's own description of itself.
install(CODE "set(manual \"${CMAKE_CURRENT_LIST_DIR}/manual\")")
install(CODE [[
  set(ew "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/bin/ew")
  set(share "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/share")
  foreach(file bash:bash-completion/completions/ew zsh:zsh/site-functions/_ew fish:fish/vendor_completions.d/ew.fish)
    string(REGEX REPLACE ":.*" "" shell ${file})
    string(REGEX REPLACE ".*:" "${share}/" file ${file})
    get_filename_component(folder ${file} DIRECTORY)
    file(MAKE_DIRECTORY ${folder})
    execute_process(COMMAND ${ew} completion ${shell} OUTPUT_FILE ${file} COMMAND_ERROR_IS_FATAL ANY)
    message(STATUS "Made: ${file}")
  endforeach()
  file(MAKE_DIRECTORY ${share}/man/man1)
  execute_process(COMMAND ${manual} ${share}/everwarp/docs/help OUTPUT_FILE ${share}/man/man1/ew.1
                  COMMAND_ERROR_IS_FATAL ANY)
  message(STATUS "Made: ${share}/man/man1/ew.1")
]])

# Two versions stand side by side: each has a package name and a folder of its own; update-alternatives says which of them
# /usr/bin/ew is.
set(EW_SERIES ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME everwarp-${EW_SERIES})
set(CPACK_PACKAGE_VENDOR Everwarp)
set(CPACK_PACKAGE_CONTACT "The Everwarp authors <everwarp@example.org>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Runs CUDA programs on a simulated GPU: memory hierarchy, persistency, crashes")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr/lib/everwarp-${EW_SERIES})
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_STRIP_FILES ON)
# The library's own, then what `ew build` calls and includes.
set(CPACK_DEBIAN_PACKAGE_DEPENDS
    "libc6, libstdc++6, libgcc-s1, libfmt9, clang-19, g++, binutils, libcu++-dev, libcub-dev, libthrust-dev, libomp-19-dev")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libjs-chart.js")
set(EW_PREFIX ${CPACK_PACKAGING_INSTALL_PREFIX})
foreach(script postinst prerm)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/debian/${script}.in ${PROJECT_BINARY_DIR}/debian/${script} @ONLY
                 FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  list(APPEND CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/debian/${script})
endforeach()
include(CPack)

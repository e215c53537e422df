# SPDX-License-Identifier: Apache-2.0
# `cpack -G DEB` in a build folder: a Debian package of the component `package`, which an ordinary install leaves out.
# Its paths begin at the root, since /etc and /usr can't share a prefix.
set(packaging ${CMAKE_SOURCE_DIR}/packaging)
set(made ${CMAKE_BINARY_DIR}/package)
set(part COMPONENT package EXCLUDE_FROM_ALL)
set(CMAKE_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
  WORLD_EXECUTE)

install(TARGETS logweir RUNTIME DESTINATION usr/bin ${part})
install(FILES ${packaging}/debian/logweir.yaml DESTINATION etc/logweir ${part})
install(FILES ${packaging}/systemd/logweir.service DESTINATION lib/systemd/system ${part})
install(FILES ${packaging}/debian/copyright DESTINATION usr/share/doc/logweir ${part})
install(FILES ${packaging}/lintian-overrides DESTINATION usr/share/lintian/overrides RENAME logweir ${part})
install(FILES conf/logweir.yaml conf/ship.yaml conf/gateway.yaml conf/http.yaml conf/spool.yaml
  DESTINATION usr/share/doc/logweir/examples ${part})
install(FILES ${packaging}/grafana/logweir.json ${packaging}/prometheus/alerts.yml
  DESTINATION usr/share/doc/logweir/examples ${part})
# What the program says of itself, and what Debian wants compressed.
install(CODE "execute_process(COMMAND ${packaging}/man $<TARGET_FILE:logweir>
  OUTPUT_FILE ${made}/logweir.8 COMMAND_ERROR_IS_FATAL ANY)
file(COPY_FILE ${packaging}/debian/changelog ${made}/changelog)
execute_process(COMMAND gzip -9nf logweir.8 changelog WORKING_DIRECTORY ${made} COMMAND_ERROR_IS_FATAL ANY)" ${part})
install(FILES ${made}/logweir.8.gz DESTINATION usr/share/man/man8 ${part})
install(FILES ${made}/changelog.gz DESTINATION usr/share/doc/logweir ${part})
file(MAKE_DIRECTORY ${made})

set(CPACK_GENERATOR DEB)
set(CPACK_COMPONENTS_ALL package)
set(CPACK_PACKAGING_INSTALL_PREFIX /)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_CONTACT "The logweir authors <logweir@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "log collection agent that tails files and reads sockets")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
  "logweir reads log files as they grow and lines from sockets, parses and\n filters them, and delivers them over HTTP or TCP, to files or to standard\n output. It loses nothing that it can still read, repeats as little as can\n be, keeps its memory bounded, and counts where every record went.")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_NAME logweir)
set(CPACK_DEBIAN_PACKAGE_SECTION admin)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "adduser, init-system-helpers (>= 1.54)")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${packaging}/debian/conffiles ${packaging}/debian/postinst
  ${packaging}/debian/prerm ${packaging}/debian/postrm)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
include(CPack)

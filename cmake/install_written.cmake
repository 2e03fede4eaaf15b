# tocuda, Apache-2.0.
# Run by `cmake --install`: writes what depends on the installed programs. `tocuda` is the built program, `programs` its
# folder, `folder` the installed one below the prefix.
set(prefix "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}")

file(MAKE_DIRECTORY "${prefix}/bin")
file(CREATE_LINK ../${folder}/tocuda "${prefix}/bin/tocuda" SYMBOLIC)

# The digest tells that a description is of this program, whatever times a copy has.
file(GLOB descriptions "${programs}/tocuda-*.describe.jsonl")
foreach(description IN LISTS descriptions)
  get_filename_component(worker "${description}" NAME_WE)
  file(INSTALL "${description}" DESTINATION "${prefix}/${folder}")
  file(SHA256 "${prefix}/${folder}/${worker}" digest)
  file(WRITE "${prefix}/${folder}/${worker}.sha256" "${digest}  ${worker}\n")
endforeach()

function(write_output path)
  get_filename_component(place "${prefix}/${path}" DIRECTORY)
  file(MAKE_DIRECTORY "${place}")
  execute_process(COMMAND "${tocuda}" ${ARGN} OUTPUT_FILE "${prefix}/${path}" COMMAND_ERROR_IS_FATAL ANY)
endfunction()
write_output(share/man/man1/tocuda.1 man)
write_output(share/bash-completion/completions/tocuda completion bash)
write_output(share/zsh/site-functions/_tocuda completion zsh)
write_output(share/fish/vendor_completions.d/tocuda.fish completion fish)

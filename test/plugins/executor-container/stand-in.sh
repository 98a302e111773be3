#!/usr/bin/env bash
# A stand-in for the command lines of docker and podman: a container is a process of this machine in a session of its own.
# It records its calls in the folder STAND_IN, and misbehaves as the files there say.
set -u
state=$STAND_IN
{ printf '%q ' "$@"; echo; } >>"$state/calls"
env >"$state/environment"
command=$1
shift

fail() { echo "Error: $2" >&2; exit "$1"; }

group_of() { cat "$state/containers/$1/pid" 2>/dev/null; }

case $command in
create)
  [[ -e $state/no-daemon ]] && fail 125 'the daemon does not answer'
  [[ -e $state/hangs ]] && exec sleep 1000
  keys=() env_file=/dev/null user=
  while [[ $1 == -* ]]; do
    case $1 in
    --name) name=$2 ;;
    --env-file) env_file=$2 ;;
    --env) keys+=("$2") ;;
    --entrypoint) executable=$2 ;;
    --interactive | --read-only | --cap-drop=*) shift; continue ;;
    esac
    shift 2
  done
  image=$1
  shift
  [[ $image == missing* ]] && fail 125 "$image: no such image"
  folder=$state/containers/$name
  mkdir -p "$folder"
  readlink -f "$env_file" >"$state/environment-file"
  mapfile -t variables <"$env_file"
  mkdir "$folder/files"
  for index in "${!variables[@]}"; do
    # The stand-in has no folder of its own for each container.
    variables[index]=${variables[index]/HORARIUM_WORKDIR=\/horarium/HORARIUM_WORKDIR=$folder/files}
  done
  for key in ${keys[@]+"${keys[@]}"}; do variables+=("$key=${!key}"); done
  arguments=("$@")
  echo 0001-01-01 >"$folder/started"
  declare -p executable arguments variables >"$folder/definition"
  ;;
start)
  # docker knows no more options here, podman does.
  for option; do [[ $option == --attach || $option == --interactive || $option != -* ]] || fail 125 "unknown flag: $option"; done
  name=${!#}
  folder=$state/containers/$name
  source "$folder/definition"
  command -v "$executable" >/dev/null || fail 125 "exec: \"$executable\": executable file not found in \$PATH"
  date +%F >"$folder/started"
  env -i PATH="$PATH" ${variables[@]+"${variables[@]}"} setsid "$executable" ${arguments[@]+"${arguments[@]}"} <&0 &
  echo $! >"$folder/pid"
  [[ -e $state/dies ]] && kill -9 $$
  wait $!
  code=$?
  echo "$code" >"$folder/code" 2>/dev/null
  exit "$code"
  ;;
stop)
  name=${!#}
  pid=$(group_of "$name")
  [[ -n $pid ]] || fail 125 "no such container: $name"
  [[ -e $state/stops-nothing ]] && exit 0
  kill -TERM -- "-$pid" 2>/dev/null
  for ((tenths = 0; tenths < $2 * 10; tenths++)); do
    kill -0 -- "-$pid" 2>/dev/null || exit 0
    sleep 0.1
  done
  kill -KILL -- "-$pid" 2>/dev/null
  exit 0
  ;;
rm)
  [[ -e $state/no-daemon ]] && fail 125 'the daemon does not answer'
  for name; do
    [[ $name == -* ]] && continue
    pid=$(group_of "$name")
    [[ -n $pid ]] && kill -KILL -- "-$pid" 2>/dev/null
    rm -rf "${state:?}/containers/$name"
  done
  ;;
cp)
  cp -a "$state/containers/${1%%:*}/files/." "$2"
  ;;
inspect)
  folder=$state/containers/${!#}
  [[ -d $folder ]] || fail 125 'no such object'
  echo "$(cat "$folder/code" 2>/dev/null || echo 0) $([[ -e $state/out-of-memory ]] && echo true || echo false) $(cat "$folder/started") 00:00:00"
  ;;
esac

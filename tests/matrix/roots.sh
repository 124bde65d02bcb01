# shellcheck shell=bash
# Sourced by tests/matrix/run and tests/matrix/pg_upgrade: small Debian systems, one for each PostgreSQL, in folders below
# $roots. They are made once and kept; remove a folder to have it made anew. Packages come from where this machine gets its
# own.

suite_of() {  # VERSION: the Debian suite that has it
  case $1 in
    15) echo bookworm ;;
    17) echo trixie ;;
    18) echo forky ;;
    19) echo sid ;;  # with experimental on top
    *) return 1 ;;
  esac
}

apt_lines() {  # VERSION: where its packages come from, in the words of this machine's own package sources
  local suite main security
  suite=$(suite_of "$1")
  read -r main < <(own_sources | grep -v -- '-security') || return 1
  echo "deb $main $suite main"
  case $suite in
    sid) echo "deb $main experimental main" ;;
    bookworm | trixie)
      echo "deb $main $suite-updates main"
      read -r security < <(own_sources | grep -- '-security') && echo "deb $security $suite-security main"
      ;;
  esac
  return 0
}

own_sources() {  # addresses of Debian's that this machine has, of either format
  local files=(/etc/apt/sources.list.d/debian.sources /etc/apt/sources.list.d/*.sources /etc/apt/sources.list)
  cat "${files[@]}" 2>/dev/null | awk '/^URIs:/ { print $2 } $1 == "deb" { sub(/\[[^]]*\] */, ""); print $2 }' | grep '/debian'
}

# The headers of exactly that server, without their package's dependencies: those are clang and llvm, a gigabyte that is
# not needed.
unpack_headers() {  # VERSION ROOT
  # shellcheck disable=SC2016
  chroot "$2" sh -c '
    cd /root && apt-get -q download "postgresql-server-dev-$1=$(dpkg-query -W -f "\${Version}" "postgresql-$1")" &&
      for file in *.deb; do dpkg -x "$file" / && rm "$file"; done' sh "$1"
}

debootstrap() {  # VERSION ROOT
  local tools=g++,make,libtap-parser-sourcehandler-pgtap-perl,libipc-run-perl,libpq-dev server=postgresql-$1,postgresql-$1-pgtap
  [[ $1 != 19 ]] || server=postgresql-18-pgtap
  local sources
  mapfile -t sources < <(apt_lines "$1" | grep -v ' experimental ')
  # shellcheck disable=SC2016
  mmdebstrap --mode=root --variant=apt --aptopt='Acquire::Check-Valid-Until "false"' --aptopt='Acquire::Retries "3"' \
    --aptopt='APT::Install-Recommends "false"' --dpkgopt=force-unsafe-io \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
    --essential-hook='mkdir -p "$1/etc/postgresql-common/createcluster.d" "$1/usr/sbin"' \
    --essential-hook='echo "create_main_cluster = false" >"$1/etc/postgresql-common/createcluster.d/no.conf"' \
    --essential-hook='printf "#!/bin/sh\nexit 101\n" >"$1/usr/sbin/policy-rc.d"; chmod 755 "$1/usr/sbin/policy-rc.d"' \
    --include="$server,$tools" "$(suite_of "$1")" "$2" "${sources[@]}"
}

# With the pgTAP of 18, which is SQL alone. Not all of experimental: packages there may not fit each other.
install_19() {  # ROOT
  local packages=(postgresql-19 postgresql-client-19 libpq5 libpq-dev libc6 libc-bin libc6-dev libc-dev-bin
    libc-gconv-modules-extra locales)
  chroot "$1" apt-get -q -y install --no-install-recommends "${packages[@]/%//experimental}" &&
    cp "$1"/usr/share/postgresql/18/extension/pgtap* "$1/usr/share/postgresql/19/extension/"
}

make_root() {  # VERSION: into $roots/VERSION, whole or not at all
  local version=$1 root=$roots/$1.new
  rm -rf "$root"
  debootstrap "$version" "$root" || return 1
  apt_lines "$version" >"$root/etc/apt/sources.list"
  chroot "$root" apt-get -q update || return 1
  [[ $version != 19 ]] || install_19 "$root" || return 1
  unpack_headers "$version" "$root" || return 1
  chroot "$root" apt-get -q clean
  rm -rf "${roots:?}/$version"
  mv "$root" "$roots/$version"
}

copy_sources() {  # ROOT: the files of the work tree, committed or not; objects of an earlier build are kept
  mkdir -p "$1/src"
  rm -rf "$1/src/build"
  find "$1/src" -type f ! -name '*.[od]' -delete
  git -c safe.directory='*' ls-files -z -c -o --exclude-standard --deduplicate | xargs -0 ls -d 2>/dev/null |
    tar -c --no-recursion -T - | tar -x -C "$1/src" --no-same-owner
}

build_in() {  # VERSION ROOT: the extension, into /src/build/stage there
  inside "$2" "PG_CONFIG=/usr/lib/postgresql/$1/bin/pg_config" make -s -C /src -j"${JOBS:-$(nproc)}" stage
}

inside() {  # ROOT COMMAND…: in that system, with process ids of its own; what it starts ends with it
  # shellcheck disable=SC2016
  unshare --mount --propagation private --pid --fork --kill-child bash -c '
    root=$1; shift
    mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" &&
      chroot "$root" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 "$@"
  ' bash "$@"
}

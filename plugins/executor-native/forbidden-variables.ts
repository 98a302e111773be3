import type { ForbiddenVariables } from '@horarium/core/plugin';

const words = (text: string) => text.trim().split(/\s+/);

/**
 * Variables that make programs of the host load or run code, or read a configuration file that can name
 * code: their values, which managers of companies may set, would choose it.
 *
 * A variable is listed when a program honours it that Apps commonly run or that is linked into them. Variables that tell a
 * program where to connect, as whom, or how to format are not: PGHOST, PGPASSWORD, MYSQL_PWD, AWS_SECRET_ACCESS_KEY,
 * http_proxy, SSL_CERT_FILE, LANG, LC_*, TZ, TMPDIR, USER. Nor are those that only builds read and that mean something else to
 * most Apps, such as CC. An App that needs a listed one sets it itself: `/usr/bin/env NAME=VALUE program` in its argv.
 */
export const forbiddenVariables: readonly ForbiddenVariables[] = [
  { programs: 'all programs', effect: 'find other programs there', names: words('PATH') },
  {
    programs: 'python, git, psql, ssh, bash and many others',
    effect: 'read modules, plugins and configuration files with commands from there',
    names: words('HOME XDG_*'),
  },
  {
    programs: 'ssh, make, vim, tmux, script and many others',
    effect: 'run the command that it names',
    names: words(
      'SHELL EDITOR VISUAL PAGER BROWSER SUDO_EDITOR SYSTEMD_EDITOR SYSTEMD_PAGER KUBE_EDITOR AWS_PAGER GH_PAGER',
    ),
  },
  {
    programs: 'the dynamic loader and the C library',
    effect: 'load libraries and character conversions from there, or switch off their own protections',
    names: words('LD_* GCONV_PATH GETCONF_DIR GLIBC_TUNABLES LOCPATH MUSL_LOCPATH NLSPATH'),
  },
  {
    programs: 'sh, bash, ksh and zsh',
    effect: 'run code from it, or find scripts and functions there',
    names: words(
      'ENV BASH_* BASHOPTS SHELLOPTS PS0 PS1 PS2 PS4 PROMPT_COMMAND CDPATH FPATH ZDOTDIR NULLCMD READNULLCMD TEXTDOMAINDIR',
    ),
  },
  {
    programs: 'perl',
    effect: 'loads modules and options from it',
    names: words('PERL5* PERLLIB PERLIO_DEBUG PERL_CPANM_OPT'),
  },
  {
    programs: 'python and pip',
    effect: 'load modules or install packages from there',
    names: words(
      `PYTHONPATH PYTHONHOME PYTHONSTARTUP PYTHONUSERBASE PYTHONEXECUTABLE PYTHONPLATLIBDIR PYTHONPYCACHEPREFIX PYTHONINSPECT
      PYTHONBREAKPOINT PYTHONWARNINGS PYTHON_PRESITE PIP_* PIPX_* PYENV_* CONDA_EXE`,
    ),
  },
  {
    programs: 'ruby, gem and bundler',
    effect: 'load libraries and options from it',
    names: words(
      'RUBYOPT RUBYLIB RUBYPATH RUBYSHELL RUBYGEMS_GEMDEPS GEM_HOME GEM_PATH GEMRC BUNDLE_* BUNDLER_* RAKEOPT IRBRC',
    ),
  },
  {
    programs: 'node, deno, bun, yarn and corepack',
    effect: 'load modules and options from it',
    names: words(
      `NODE_OPTIONS NODE_PATH NODE_REPL_EXTERNAL_MODULE NODE_COMPILE_CACHE TS_NODE_* DENO_DIR BUN_OPTIONS BUN_INSPECT_PRELOAD
      COREPACK_*`,
    ),
  },
  {
    programs: 'npm and yarn',
    effect: 'start the shell, pass node the options, or use the registry that it names',
    names: words('NPM_CONFIG_* YARN_*'),
    ignoresCase: true,
  },
  {
    programs: 'java and programs that start it',
    effect: 'load agents and classes from it, or run commands that it names',
    names: words(
      `JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS JDK_JAVAC_OPTIONS OPENJ9_JAVA_OPTIONS IBM_JAVA_OPTIONS CLASSPATH
      JAVA_HOME JRE_HOME JAVACMD JAVA_OPTS CATALINA_OPTS CATALINA_HOME CATALINA_BASE MAVEN_OPTS MAVEN_ARGS MAVEN_HOME
      M2_HOME GRADLE_OPTS GRADLE_USER_HOME GRADLE_HOME ANT_OPTS ANT_ARGS ANT_HOME SBT_OPTS KOTLIN_HOME GROOVY_HOME
      SCALA_HOME`,
    ),
  },
  {
    programs: 'php and composer',
    effect: 'load extensions, scripts and plugins from there',
    names: words('PHPRC PHP_INI_SCAN_DIR COMPOSER COMPOSER_HOME COMPOSER_VENDOR_DIR COMPOSER_BIN_DIR'),
  },
  {
    programs: 'lua, R, Tcl, guile, julia, erlang, octave and emacs',
    effect: 'load code and options from it',
    names: words(
      `LUA_PATH* LUA_CPATH* LUA_INIT* R_HOME R_PROFILE* R_ENVIRON* R_LIBS* R_DEFAULT_PACKAGES TCL_LIBRARY TCLLIBPATH
      TCL*_TM_PATH TK_LIBRARY GUILE_* JULIA_LOAD_PATH JULIA_DEPOT_PATH JULIA_BINDIR JULIA_PROJECT ERL_LIBS ERL_FLAGS
      ERL_AFLAGS ERL_ZFLAGS ERL_COMPILER_OPTIONS ELIXIR_ERL_OPTIONS MIX_HOME MIX_ARCHIVES OCTAVE_PATH OCTAVE_SITE_INITFILE
      OCTAVE_VERSION_INITFILE MATLABPATH EMACSLOADPATH EMACSPATH EMACSDATA CAML_LD_LIBRARY_PATH OCAMLPATH GHC_PACKAGE_PATH
      RAKULIB PERL6LIB`,
    ),
  },
  {
    programs: '.NET, Mono and PowerShell',
    effect: 'load assemblies, profilers and modules from it',
    names: words(
      `DOTNET_STARTUP_HOOKS DOTNET_ADDITIONAL_DEPS DOTNET_SHARED_STORE DOTNET_ROOT* DOTNET_GCName DOTNET_GCPath
      DOTNET_AltJit* DOTNET_HOSTINGSTARTUPASSEMBLIES ASPNETCORE_HOSTINGSTARTUPASSEMBLIES COMPlus_* COR_PROFILER*
      COR_ENABLE_PROFILING CORECLR_* MONO_PATH MONO_CONFIG MONO_ENV_OPTIONS MONO_GAC_PREFIX MSBUILD* NUGET_PACKAGES
      NUGET_FALLBACK_PACKAGES NUGET_*PLUGIN_PATHS PSModulePath`,
    ),
    ignoresCase: true,
  },
  {
    programs: 'go, cargo, rustc, make and gcc',
    effect: 'run tools and load plugins that it names',
    names: words(
      `GOFLAGS GOENV GOROOT GOPATH GOMODCACHE GOTOOLCHAIN GOPROXY GOAUTH GOCACHEPROG CGO_* CARGO_HOME CARGO_BUILD_*
      CARGO_TARGET_* CARGO_ALIAS_* RUSTC RUSTC_* RUSTDOC RUSTFLAGS RUSTUP_* MAKEFLAGS MFLAGS GNUMAKEFLAGS MAKEFILES
      GCC_EXEC_PREFIX COMPILER_PATH LIBRARY_PATH CPATH C_INCLUDE_PATH CPLUS_INCLUDE_PATH PKG_CONFIG_PATH`,
    ),
  },
  {
    programs: 'git, hg, svn, cvs, rsync and ssh',
    effect: 'run commands that it names, or that the configuration or repository there names',
    names: words(
      `GIT_SSH GIT_SSH_COMMAND GIT_ASKPASS GIT_PROXY_COMMAND GIT_EXEC_PATH GIT_TEMPLATE_DIR GIT_CONFIG GIT_CONFIG_*
      GIT_EXTERNAL_DIFF GIT_PAGER GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_DIR GIT_COMMON_DIR GIT_WORK_TREE GIT_ALLOW_PROTOCOL
      GIT_PROTOCOL_FROM_USER HGRCPATH HGEDITOR HGMERGE SVN_SSH SVN_EDITOR SVN_MERGE CVS_RSH CVSEDITOR RSYNC_RSH
      RSYNC_CONNECT_PROG SSH_ASKPASS SSH_ASKPASS_REQUIRE SSH_SK_PROVIDER SSH_SK_HELPER SSH_PKCS11_HELPER SUDO_ASKPASS`,
    ),
  },
  {
    programs: 'less, man and vim',
    effect: 'run commands that it names',
    names: words(
      `LESS LESSOPEN LESSCLOSE LESSEDIT LESSKEY LESSKEYIN LESSKEY_SYSTEM LESSKEY_CONTENT MANPAGER EXINIT VIMINIT GVIMINIT VIM
      VIMRUNTIME FCEDIT`,
    ),
  },
  {
    programs: 'database clients',
    effect: 'run commands from the file there, or load plugins and drivers from there',
    names: words(
      `PSQLRC PSQL_EDITOR PSQL_PAGER PSQL_WATCH_PAGER MYSQL_HOME LIBMYSQL_PLUGINS LIBMYSQL_PLUGIN_DIR MARIADB_PLUGIN_DIR
      ORACLE_HOME ODBCINI ODBCINSTINI ODBCSYSINI`,
    ),
  },
  {
    programs: 'curl, wget, lynx and lftp',
    effect: 'read configuration from there, which can run commands and write files',
    names: words('CURL_HOME WGETRC SYSTEM_WGETRC LYNX_CFG LFTP_HOME'),
  },
  {
    programs: 'OpenSSL, Kerberos, SASL, D-Bus and GnuPG',
    effect: 'load modules from there or run commands that it names',
    names: words(
      `OPENSSL_CONF OPENSSL_CONF_INCLUDE OPENSSL_MODULES OPENSSL_ENGINES PKCS11_PROVIDER_MODULE KRB5_CONFIG GSS_MECH_CONFIG
      SASL_PATH SASL_CONF_PATH DBUS_SESSION_BUS_ADDRESS DBUS_SYSTEM_BUS_ADDRESS DBUS_STARTER_ADDRESS GNUPGHOME
      PASSWORD_STORE_*`,
    ),
  },
  {
    programs: 'clients of clouds and clusters, ansible and terraform',
    effect: 'run commands that the configuration there names, or load plugins from there',
    names: words(
      `AWS_CONFIG_FILE AWS_SHARED_CREDENTIALS_FILE KUBECONFIG DOCKER_CONFIG CLOUDSDK_CONFIG CLOUDSDK_PYTHON*
      GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES AZURE_CONFIG_DIR AZURE_EXTENSION_DIR HELM_PLUGINS ANSIBLE_*
      TF_CLI_CONFIG_FILE TF_CLI_ARGS* TF_PLUGIN_CACHE_DIR TF_DATA_DIR`,
    ),
  },
  {
    programs: 'restic, borg, rclone, tar and zip',
    effect: 'run commands that it names',
    names: words(
      `RESTIC_PASSWORD_COMMAND BORG_PASSCOMMAND BORG_RSH BORG_REMOTE_PATH RCLONE_CONFIG RCLONE_CONFIG_*_SSH
      RCLONE_PASSWORD_COMMAND RCLONE_SFTP_SSH TAR_OPTIONS ZIPOPT`,
    ),
  },
  {
    programs: 'awk, m4, dc, TeX, Ghostscript and ImageMagick',
    effect: 'load code or lists of commands from there',
    names: words(
      `AWKPATH AWKLIBPATH M4PATH DC_ENV_ARGS BC_ENV_ARGS TEXMF* TEXINPUTS* GS_LIB GS_OPTIONS MAGICK_HOME
      MAGICK_CONFIGURE_PATH MAGICK_CODER_MODULE_PATH MAGICK_FILTER_MODULE_PATH`,
    ),
  },
  {
    programs: 'GTK, Qt, GStreamer, graphics and sound libraries',
    effect: 'load modules from there',
    names: words(
      `GTK_MODULES GTK3_MODULES GTK_PATH GTK_EXE_PREFIX GTK_IM_MODULE_FILE GDK_PIXBUF_MODULE_FILE GDK_PIXBUF_MODULEDIR
      GIO_MODULE_DIR GIO_EXTRA_MODULES GI_TYPELIB_PATH GST_PLUGIN_* GST_REGISTRY* QT_PLUGIN_PATH QT_QPA_PLATFORM_PLUGIN_PATH
      QML_IMPORT_PATH QML2_IMPORT_PATH XLOCALEDIR LIBGL_DRIVERS_PATH LIBVA_DRIVERS_PATH VDPAU_DRIVER_PATH GBM_BACKENDS_PATH
      VK_ICD_FILENAMES VK_DRIVER_FILES VK_LAYER_PATH VK_IMPLICIT_LAYER_PATH VK_ADD_*_PATH VK_ADD_DRIVER_FILES __EGL_*
      OCL_ICD_VENDORS ALSA_CONFIG_PATH LADSPA_PATH LV2_PATH FREI0R_PATH`,
    ),
  },
  {
    programs: 'libraries for computing',
    effect: 'load plugins from there or run commands that it names',
    names: words('OMPI_* PRTE_* PMIX_* OMP_TOOL_LIBRARIES CUDA_INJECTION64_PATH HDF5_PLUGIN_PATH GDAL_DRIVER_PATH'),
  },
];

// How svcd runs the `git` program: independently of the settings of this machine, and without hooks.

/** These settings replace those of the operator and the system. */
const settings = {
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'core.attributesFile': '/dev/null',
  'core.protectHFS': 'true',
  'core.protectNTFS': 'true',
  'core.symlinks': 'true',
  // About the variable GIT_GRAFT_FILE below, in every push.
  'advice.graftFileDeprecated': 'false',
  'safe.directory': '*',
  'init.defaultBranch': 'main',
  'receive.fsckObjects': 'true',
  'receive.autogc': 'false',
  'receive.advertisePushOptions': 'false',
  'receive.denyDeleteCurrent': 'ignore',
  'gc.auto': '0',
  'uploadpack.allowFilter': 'true',
  // A filter by sparse paths visits a folder once for each path that leads to it. These filters visit it once.
  'uploadpackfilter.allow': 'false',
  'uploadpackfilter.blob:none.allow': 'true',
  'uploadpackfilter.blob:limit.allow': 'true',
  'uploadpackfilter.object:type.allow': 'true',
  'uploadpackfilter.tree.allow': 'true',
  'uploadpackfilter.tree.maxDepth': '0',
  'pack.threads': '1',
  // Limits on memory: larger files are streamed, and packing a clone uses at most this much.
  'core.bigFileThreshold': '16m',
  'core.deltaBaseCacheLimit': '32m',
  'pack.windowMemory': '64m',
  'pack.deltaCacheSize': '32m',
  'http.receivepack': 'true',
  'protocol.allow': 'never',
}

export const settingArguments = (more: Record<string, string> = {}): string[] =>
  Object.entries({ ...settings, ...more }).flatMap(([name, value]) => ['-c', `${name}=${value}`])

/** The whole environment of a git program. */
export const gitEnvironment = (gitDir: string | undefined): Record<string, string> => ({
  PATH: '/usr/local/bin:/usr/bin:/bin',
  HOME: '/nonexistent',
  LC_ALL: 'C.UTF-8',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  // A pushed ref could otherwise replace one object by another, and a file could change the parents of a commit.
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_GRAFT_FILE: '/dev/null',
  ...(gitDir !== undefined && { GIT_DIR: gitDir, GIT_COMMON_DIR: gitDir }),
})

/** The whole configuration of a repository. `svcd` sets everything else on the command line of git. */
export const repositoryConfig = '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n'

// Settings of git builds and of the built-in forge.
import * as kind from './kinds.ts'
import { computed, setting } from './setting.ts'

export const buildSettings = {
  buildsAtOnce: setting(
    'SVCD_BUILDS_AT_ONCE',
    kind.whole(1, 64),
    1,
    'git builds at a time on this machine; see [builds.md](builds.md)',
  ),
  buildMinutes: setting('SVCD_BUILD_MINUTES', kind.whole(1, 240), 15, 'how long one build may take'),
  buildMemoryMb: setting('SVCD_BUILD_MEMORY_MB', kind.whole(128, 1024 * 1024), 2048, 'memory of one build'),
  buildCpuPercent: setting(
    'SVCD_BUILD_CPU_PERCENT',
    kind.whole(10, 100_000),
    100,
    'CPU of one build; 100 percent is one core',
  ),
  buildDiskMb: setting('SVCD_BUILD_DISK_MB', kind.whole(64, 1024 * 1024), 4096, 'disk of one build'),
  buildImage: setting(
    'SVCD_BUILD_IMAGE',
    kind.text,
    computed('the value of `SVCD_RUNTIME_IMAGE`', ({ runtimeImage }) => runtimeImage),
    'with the docker or swarm driver: the image that builds run in',
  ),
  dockerfiles: setting(
    'SVCD_DOCKERFILES',
    kind.choice('on', 'off'),
    computed('`on`, or `off` where `SVCD_SIGNUPS=open`', ({ signups }) =>
      signups === 'open' ? 'off' : 'on',
    ),
    'with the docker or swarm driver: whether a [Dockerfile](dockerfile.md) of a repository is built and run',
  ),
  buildCacheBytes: setting(
    'SVCD_BUILD_CACHE_BYTES',
    kind.bytes(0, 1024 * kind.GB),
    8 * kind.GB,
    'what is kept of earlier [builds](builds.md#what-is-kept-between-builds) on this machine; `0` keeps nothing',
  ),
  gitPushBytes: setting(
    'SVCD_GIT_PUSH_BYTES',
    kind.bytes(kind.MB, 1024 * kind.GB),
    512 * kind.MB,
    'what one push may send to the built-in forge',
  ),
  gitRepositoryBytes: setting(
    'SVCD_GIT_REPOSITORY_BYTES',
    kind.bytes(kind.MB, 1024 * kind.GB),
    2 * kind.GB,
    'what a repository of the built-in forge may hold',
  ),
}

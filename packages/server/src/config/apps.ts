// Settings of server apps: what runs them, what they may use, and how long requests to them may take.
import * as kind from './kinds.ts'
import { computed, setting, unset } from './setting.ts'

const engineHost = kind.matching(
  '`unix:///…`, `tcp://host:port`',
  /^(unix:\/\/\/.|tcp:\/\/[^/:]+:\d+$)/,
  'must be unix:///path/of/the.sock or tcp://host:port',
)

/** It is also the name of a network interface, which must be short. */
const networkName = kind.matching(
  'a name',
  /^[a-z][a-z0-9-]{0,14}$/,
  'must have up to 15 lower-case letters, digits and dashes, and begin with a letter',
)

/** Its tag, or the number before `=`, says the version of Node. */
const nodeImage = kind.matching(
  'an image',
  /^(?:\d{1,3}=\S+|\S+:\d{1,3}(?:[.-]\S*)?)$/,
  'must be images whose tag begins with the version of Node, such as node:24-slim, or 24=registry.example/node:lts',
)

export const appSettings = {
  runner: setting(
    'SVCD_RUNNER',
    kind.choice('auto', 'process', 'docker', 'swarm'),
    'auto',
    'what runs [server apps](apps.md); `auto` takes `docker` where its socket answers, else `process`. For [many machines](swarm.md): `swarm`',
  ),
  dockerHost: setting(
    'SVCD_DOCKER_HOST',
    engineHost,
    'unix:///var/run/docker.sock',
    'the container engine: Docker, Podman or one that speaks like them',
  ),
  runtimeImage: setting(
    'SVCD_RUNTIME_IMAGE',
    kind.text,
    'node:22-slim',
    'the image that apps run in; it is pulled where it is missing',
  ),
  nodeDir: setting(
    'SVCD_NODE_DIR',
    kind.directory,
    unset('the Node that runs svcd is the only one'),
    'a folder with [other versions of Node](apps.md#for-operators-versions-of-node), each in a folder of its own, that projects can ask for',
  ),
  nodeImages: setting(
    'SVCD_NODE_IMAGES',
    kind.listOf(nodeImage, 'images with commas between'),
    ['node:20-slim', 'node:22-slim', 'node:24-slim'],
    'with containers: the images of [other versions of Node](apps.md#for-operators-versions-of-node) that projects can ask for, such as `node:24-slim` or `24=registry.example/node:lts`; one is pulled when it is first used',
  ),
  dockerRuntime: setting(
    'SVCD_DOCKER_RUNTIME',
    kind.text,
    unset("the engine's own"),
    'how containers are run, such as `runsc` (gVisor)',
  ),
  dockerNetwork: setting(
    'SVCD_DOCKER_NETWORK',
    networkName,
    'svc-apps',
    "the apps' own network, made where it is missing",
  ),
  swarmNetwork: setting(
    'SVCD_SWARM_NETWORK',
    networkName,
    'svc-swarm',
    "with `SVCD_RUNNER=swarm`: the apps' own network, made where it is missing",
  ),
  appFilesDir: setting(
    'SVCD_APP_FILES_DIR',
    kind.directory,
    unset('`apps` in the data directory'),
    'where the files of server apps are unpacked; in a [swarm](swarm.md), a directory that all machines share',
  ),
  dockerOutbound: setting(
    'SVCD_DOCKER_OUTBOUND',
    kind.choice('on', 'off'),
    'on',
    'the former name of `SVCD_APP_OUTBOUND`, of which `off` still works',
  ),
  appOutbound: setting(
    'SVCD_APP_OUTBOUND',
    kind.choice('public', 'on', 'off'),
    computed('`public`', ({ dockerOutbound }) => (dockerOutbound === 'off' ? 'off' : 'public')),
    'what server apps may connect to; see [how apps are kept apart](apps.md#for-operators-how-apps-are-kept-apart)',
  ),
  unsandboxedApps: setting(
    'SVCD_UNSANDBOXED_APPS',
    kind.flag,
    false,
    '`1` runs server apps also where there is no sandbox for them: for code that you trust',
  ),
  chromium: setting(
    'SVCD_CHROMIUM',
    kind.file,
    unset('no pictures'),
    'the path of a Chromium or Chrome that makes [pictures of live sites](dashboard.md#pictures-of-sites), such as `/usr/bin/chromium`',
  ),
  idleSeconds: setting(
    'SVCD_IDLE_SECONDS',
    kind.whole(1, 86_400),
    300,
    'a server app without a request for so long is stopped; the next request starts it',
  ),
  readyApps: setting(
    'SVCD_READY_APPS',
    kind.whole(0, 10_000),
    0,
    'with `SVCD_BILLING=off`: how many server apps of each owner are never stopped',
  ),
  maxApps: setting(
    'SVCD_MAX_APPS',
    kind.whole(1, 100_000),
    200,
    'server apps that one machine runs at a time, see [limits](limits.md#the-machine)',
  ),
  appMemoryMb: setting(
    'SVCD_APP_MEMORY_MB',
    kind.whole(64, 1024 * 1024),
    512,
    'memory of one instance of a server app',
  ),
  appPids: setting('SVCD_APP_PIDS', kind.whole(32, 100_000), 256, 'processes and threads of one instance'),
  appCpuPercent: setting(
    'SVCD_APP_CPU_PERCENT',
    kind.whole(10, 100_000),
    200,
    'CPU of one instance; 100 percent is one core',
  ),
  appAnswerSeconds: setting(
    'SVCD_APP_ANSWER_SECONDS',
    kind.whole(1, 3600),
    60,
    'how long a server app may take until its answer begins; then 504',
  ),
  appSilenceSeconds: setting(
    'SVCD_APP_SILENCE_SECONDS',
    kind.whole(1, 3600),
    300,
    'how long a server app may be silent within an answer',
  ),
  appMaxRequests: setting(
    'SVCD_APP_MAX_REQUESTS',
    kind.whole(1, 1_000_000),
    1_000,
    'requests under way to one server app at a time, from one edge process, open WebSockets not counted; more are 503. To all apps together: `SVCD_MAX_CONNECTIONS`',
  ),
  appCacheBytes: setting(
    'SVCD_APP_CACHE_BYTES',
    kind.bytes(0, 64 * kind.GB),
    64 * kind.MB,
    'memory of each edge process for answers that server apps allow to be kept, with their addresses and header fields; `0` keeps none',
  ),
}

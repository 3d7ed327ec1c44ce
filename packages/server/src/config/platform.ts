// Settings of the platform itself: where it listens, its names, and its own log.
import * as kind from './kinds.ts'
import { computed, isLocal, setting, unset } from './setting.ts'

export const platformSettings = {
  host: setting(
    'SVCD_HOST',
    kind.text,
    '127.0.0.1',
    'address of the listener for the API, the dashboard, the AI gateway and sites',
  ),
  port: setting('SVCD_PORT', kind.port(0), 8080, 'port of that listener; `0` takes a free one'),
  dataDir: setting(
    'SVCD_DATA_DIR',
    kind.directory,
    computed('`./data`', () => kind.directory.parse('./data')),
    'database, deployments, key',
  ),
  platformDomain: setting(
    'SVCD_PLATFORM_DOMAIN',
    kind.domainName,
    'localhost',
    'sites are `<name>.<domain>`',
  ),
  publicScheme: setting(
    'SVCD_PUBLIC_SCHEME',
    kind.choice('http', 'https'),
    computed('`http` on localhost, else `https`', earlier => (isLocal(earlier) ? 'http' : 'https')),
    'scheme of the URLs that svcd prints and sends',
  ),
  publicPort: setting(
    'SVCD_PUBLIC_PORT',
    kind.port(),
    unset('the port of the listener on localhost, else none'),
    'port of these URLs',
  ),
  abuseContact: setting(
    'SVCD_ABUSE_CONTACT',
    kind.contact,
    unset(),
    'where people report abuse of the platform; the error pages of sites name it',
  ),
  nodeAddress: setting(
    'SVCD_NODE_ADDRESS',
    kind.matching(
      '`<host>:<port>`',
      /^(?:\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+):\d{1,5}$/,
      'must be a host and a port such as 10.0.0.2:7946',
    ),
    unset('the address from which this node reaches the database, and a free port'),
    'with PostgreSQL: where [other nodes](nodes.md#how-nodes-reach-each-other) reach this one',
  ),
  edgeWorkers: setting(
    'SVCD_EDGE_WORKERS',
    kind.orAuto(kind.whole(0, 256)),
    'auto',
    'processes that serve sites beside the main one. `auto`: by cores and memory, none on fewer than four cores, see [Several edge processes](#several-edge-processes)',
  ),
  fastLanes: setting(
    'SVCD_FAST_LANES',
    kind.flag,
    true,
    '`0`: node:http and node:http2 answer every request. By default the edge reads common requests itself, see [performance](performance.md#fast-lanes)',
  ),
  skewHours: setting(
    'SVCD_SKEW_HOURS',
    kind.whole(0, 24 * 30),
    24,
    'how long files with hashed names stay reachable after their deployment was superseded, see [Earlier hashed files](serving.md#earlier-hashed-files); `0` turns it off',
  ),
  loopBlockMs: setting(
    'SVCD_LOOP_BLOCK_MS',
    kind.whole(0, 60_000),
    250,
    'an event loop that stands still for longer is logged as blocked, see [below](#a-blocked-event-loop); `0` watches nothing',
  ),
  replaceSeconds: setting(
    'SVCD_REPLACE_SECONDS',
    kind.whole(1, 86_400),
    300,
    'how long a new process may take until it is healthy, migrations included; then the old version [comes back](#restart-without-a-failed-request)',
  ),
  releasesUrl: setting(
    'SVCD_RELEASES_URL',
    kind.text,
    unset(),
    'where `svcd upgrade <version>` finds releases, such as `https://downloads.example.com/svcd/{version}/`; `{version}` becomes the version',
  ),
  logLevel: setting(
    'SVCD_LOG_LEVEL',
    kind.choice('trace', 'debug', 'info', 'warn', 'error', 'silent'),
    'info',
    "svcd's own log, on stderr",
  ),
}

// Settings of analytics and of the logs that apps write.
import * as kind from './kinds.ts'
import { setting, unset } from './setting.ts'

export const statsSettings = {
  analytics: setting(
    'SVCD_ANALYTICS',
    kind.choice('on', 'off'),
    'on',
    '`off`: nothing is counted, and live stats answer 503; see [analytics](stats.md)',
  ),
  geoDatabase: setting(
    'SVCD_GEO_DATABASE',
    kind.file,
    unset("DB-IP's free one, of our dependencies"),
    "a file in MaxMind's format (`.mmdb`) that knows the countries of addresses",
  ),
  countryHeader: setting(
    'SVCD_COUNTRY_HEADER',
    kind.lowerCase,
    unset(),
    "a header in which trusted proxies name the visitor's country, such as `CF-IPCountry`",
  ),
  appLogBytes: setting(
    'SVCD_APP_LOG_BYTES',
    kind.bytes(kind.MB, 64 * kind.GB),
    32 * kind.MB,
    "how much of what a project's server apps write is kept on disk; see [logs.md](logs.md)",
  ),
  appLogDays: setting('SVCD_APP_LOG_DAYS', kind.whole(1, 3650), 14, 'for how many days that is kept'),
}

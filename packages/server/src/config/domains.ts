// Settings of domains and certificates.
import * as kind from './kinds.ts'
import { computed, requireBoth, SettingError, type SettingsOf, setting, unset } from './setting.ts'

const letsEncrypt = 'https://acme-v02.api.letsencrypt.org/directory'

export const domainSettings = {
  domainProof: setting(
    'SVCD_DOMAIN_PROOF',
    kind.choice('claims', 'always', 'off'),
    computed('`claims`, or `always` where `SVCD_SIGNUPS=open`', ({ signups }) =>
      signups === 'open' ? 'always' : 'claims',
    ),
    'when people must prove that a [domain](domains.md#who-owns-a-domain) is theirs',
  ),
  dnsTarget: setting(
    'SVCD_DNS_TARGET',
    kind.domainName,
    computed('`edge.<domain>`', ({ platformDomain }) => `edge.${platformDomain}`),
    'what custom domains point at',
  ),
  dnsServers: setting(
    'SVCD_DNS_SERVERS',
    kind.listOf(kind.dnsServer, 'addresses with commas between'),
    computed("the system's", () => []),
    'asked where a custom domain points; `1.1.1.1`, `[2606:4700::1111]:53`',
  ),
  tlsPort: setting(
    'SVCD_TLS_PORT',
    kind.port(0),
    unset('none: no HTTPS'),
    'the HTTPS listener, see [domains and certificates](domains.md#https)',
  ),
  tlsCert: setting(
    'SVCD_TLS_CERT',
    kind.file,
    unset(),
    "the platform's own certificate and its chain (PEM), for `<domain>` and `*.<domain>`; read again when it changes",
  ),
  tlsKey: setting('SVCD_TLS_KEY', kind.file, unset(), 'the key of that certificate (PEM)'),
  acmeEmail: setting('SVCD_ACME_EMAIL', kind.text, unset(), 'told to the authority, for its messages'),
  acmeDirectory: setting(
    'SVCD_ACME_DIRECTORY',
    kind.webUrl,
    computed(
      "Let's Encrypt with `SVCD_ACME_EMAIL`, else none: no certificates are issued",
      ({ acmeEmail }) => (acmeEmail === undefined ? undefined : letsEncrypt),
    ),
    `the certificate authority, such as \`${letsEncrypt}\``,
  ),
  acmeCaFile: setting(
    'SVCD_ACME_CA_FILE',
    kind.file,
    unset(),
    "authorities (PEM) that are trusted for the directory's own certificate, for one inside a private network",
  ),
  acmeEabKeyId: setting(
    'SVCD_ACME_EAB_KEY_ID',
    kind.text,
    unset(),
    'names the account that an authority such as ZeroSSL or Google Trust Services has of you already (external account binding)',
  ),
  acmeEabKey: setting(
    'SVCD_ACME_EAB_KEY',
    kind.secret,
    unset(),
    'the key for it, as the authority shows it (base64url)',
  ),
  acmeHttpPort: setting(
    'SVCD_ACME_HTTP_PORT',
    kind.port(),
    80,
    'where the authority comes for its challenges; another in tests alone',
  ),
  dns01Hook: setting(
    'SVCD_DNS01_HOOK',
    kind.file,
    unset(),
    'a program that writes TXT records, for [a wildcard certificate](domains.md#with-a-wildcard)',
  ),
  certCheckPort: setting(
    'SVCD_CERT_CHECK_PORT',
    kind.port(),
    443,
    'where the certificate of a custom domain is looked for: its status, and its proof by TLS-ALPN-01',
  ),
  allowPrivateTargets: setting(
    'SVCD_ALLOW_PRIVATE_TARGETS',
    kind.flag,
    false,
    '`1` allows the checks of custom domains to connect to private addresses. Use it if the platform itself is inside a private network',
  ),
}

/** Where the certificate of the platform's own names comes from. `undefined`: they have none, or a proxy has it. */
export function ownCertificate(
  settings: Pick<SettingsOf<typeof domainSettings>, 'acmeDirectory' | 'dns01Hook' | 'tlsCert' | 'tlsPort'> & {
    publicScheme: 'http' | 'https'
  },
): 'files' | 'dns-01' | 'per host' | undefined {
  const { acmeDirectory, dns01Hook, tlsCert, tlsPort, publicScheme } = settings
  if (tlsCert !== undefined) return 'files'
  if (acmeDirectory === undefined) return undefined
  if (dns01Hook !== undefined) return 'dns-01'
  return tlsPort !== undefined && publicScheme === 'https' ? 'per host' : undefined
}

/** How svcd asks its certificate authority. `undefined` if it has none. */
export function acmeSettings(settings: SettingsOf<typeof domainSettings>) {
  const { acmeDirectory: directory, acmeEmail: email, acmeCaFile: caFile } = settings
  const { acmeEabKeyId: keyId, acmeEabKey: key } = settings
  requireBoth({ SVCD_ACME_EAB_KEY_ID: keyId, SVCD_ACME_EAB_KEY: key }, 'the key and its name belong together')
  const binding = keyId !== undefined && key !== undefined ? { keyId, key } : undefined
  return directory === undefined ? undefined : { directory, email, caFile, binding }
}

export function checkCertificateFiles({ tlsCert, tlsKey, tlsPort }: SettingsOf<typeof domainSettings>): void {
  requireBoth({ SVCD_TLS_CERT: tlsCert, SVCD_TLS_KEY: tlsKey }, 'the certificate and its key belong together')
  if (tlsCert !== undefined && tlsPort === undefined)
    throw new SettingError('SVCD_TLS_PORT', 'is missing: there is a certificate, and no port to show it on')
}

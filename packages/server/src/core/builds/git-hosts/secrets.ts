// What the platform keeps sealed for a repository at another git host.
import type { SealKey } from '../../../lib/seal.ts'
import { Secret } from '../../../lib/secret.ts'
import type { GitHostKind, HostedRepository } from '../../../ports/git-hosts/port.ts'
import type { GitHostRepositoryRow } from '../../../store/tables.ts'
import type { Platform } from '../../base/platform.ts'

interface HostSecrets {
  token: string
  /** Proves that a request to the webhook is the host's. */
  webhook: string
}

/** The place that the sealed secrets are bound to. They cannot be opened for another repository. */
export const placeOfHostSecrets = (repositoryId: string): string[] => ['git host repository', repositoryId]

export const sealHostSecrets = (key: SealKey, repositoryId: string, secrets: HostSecrets) =>
  key.seal(JSON.stringify(secrets), placeOfHostSecrets(repositoryId))

export const openHostSecrets = (
  { keyring }: Pick<Platform, 'keyring'>,
  row: GitHostRepositoryRow,
): HostSecrets => JSON.parse(keyring.open(row, placeOfHostSecrets(row.repository_id))) as HostSecrets

export const hostedRepository = (
  platform: Pick<Platform, 'keyring'>,
  row: GitHostRepositoryRow & { kind: GitHostKind },
): HostedRepository => ({
  kind: row.kind,
  baseUrl: row.base_url,
  path: row.path,
  token: new Secret(openHostSecrets(platform, row).token),
})

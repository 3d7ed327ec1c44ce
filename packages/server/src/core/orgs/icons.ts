// Icons of orgs: small images. Their type is detected from the content, and they are served with that type only.
import { createHash } from 'node:crypto'
import { limits } from '@svc/contract'
import { Fault } from '../../lib/fault.ts'
import { sharedWithOrg } from '../../store/builds/github/shared-installations.ts'
import { firstRepoOfOrg } from '../../store/builds/repositories.ts'
import { githubUserOf } from '../../store/identity/github-users.ts'
import { deleteIcon, findIcon, findOrg, putIcon } from '../../store/orgs/orgs.ts'
import { audit } from '../base/audit.ts'
import type { Caller } from '../base/caller.ts'
import type { Platform, Rows } from '../base/platform.ts'
import { lockExistingOrg } from './orgs.ts'
import type { OrgScope } from './rights.ts'

/** How files of each kind begin. */
const kinds: { type: string; matches(bytes: Buffer): boolean }[] = [
  { type: 'image/png', matches: b => b.subarray(0, 8).equals(Buffer.from('89504e470d0a1a0a', 'hex')) },
  { type: 'image/jpeg', matches: b => b.subarray(0, 3).equals(Buffer.from('ffd8ff', 'hex')) },
  { type: 'image/gif', matches: b => /^GIF8[79]a/.test(b.toString('latin1', 0, 6)) },
  {
    type: 'image/webp',
    matches: b => b.toString('latin1', 0, 4) === 'RIFF' && b.toString('latin1', 8, 12) === 'WEBP',
  },
]

export async function uploadIcon(
  platform: Rows,
  caller: Caller,
  org: OrgScope,
  body: AsyncIterable<Buffer>,
  confirmRights: () => Promise<void>,
): Promise<string> {
  const bytes = await readIcon(body)
  await confirmRights()
  const kind = kinds.find(k => k.matches(bytes))
  if (!kind) throw new Fault('unsupported_media_type', 'The icon must be a PNG, JPEG, WebP or GIF image.')
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 16)
  await platform.store.transact(async tx => {
    await lockExistingOrg(tx, org)
    await putIcon(tx, { org_id: org.id, type: kind.type, hash, base64: bytes.toString('base64') })
    await audit(platform, tx, caller, {
      action: 'org.icon',
      orgId: org.id,
      target: org.name,
      details: { hash },
    })
  })
  return `/orgs/${org.name}/icon?v=${hash}`
}

export async function removeIcon(platform: Rows, caller: Caller, org: OrgScope): Promise<void> {
  await platform.store.transact(async tx => {
    await deleteIcon(tx, org.id)
    const details = { hash: null }
    await audit(platform, tx, caller, { action: 'org.icon', orgId: org.id, target: org.name, details })
  })
}

type IconAnswer = { type: string; hash: string; bytes: Buffer } | { redirect: string }

/**
 * The uploaded image, else the avatar of the owner of the org's repositories, else of an account whose installation the
 * org uses.
 */
export async function iconOf(
  platform: Pick<Platform, 'forge' | 'github' | 'store'>,
  orgName: string,
): Promise<IconAnswer> {
  const icon = await findIcon(platform.store.db, orgName)
  if (icon) return { type: icon.type, hash: icon.hash, bytes: Buffer.from(icon.base64, 'base64') }
  const org = await findOrg(platform.store.db, orgName)
  const repo = org && (await firstRepoOfOrg(platform.store.db, org.id))
  if (repo) {
    const host = repo.host ? undefined : repo.installation_id === null ? platform.forge : platform.github
    const [owner = ''] = repo.repo.split('/')
    if (host) return { redirect: host.avatarUrl(owner) }
  }
  const [shared] = org ? await sharedWithOrg(platform.store.db, org.id) : []
  if (!shared) throw new Fault('not_found', 'This org has no icon.')
  const user = platform.github && (await githubUserOf(platform.store.db, shared.sharer_id))
  return {
    redirect: user ? platform.github.avatarUrl(user.login) : platform.forge.avatarUrl(shared.sharer_login),
  }
}

async function readIcon(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > limits.iconBytes) throw new Fault('payload_too_large', 'An icon may have at most 512 KB.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

// Invitations of nodes: an operator makes a code, and the new node gets the settings and the key for it, once. The settings are
// sealed with the code. It never leaves the two machines, so neither the database nor the way between reveals anything.
import { createHmac } from 'node:crypto'
import { minuteMs } from '@svc/contract/durations'
import { Fault } from '../../lib/fault.ts'
import { randomText } from '../../lib/ids.ts'
import { SealKey } from '../../lib/seal.ts'
import {
  deleteExpiredNodeInvites,
  insertNodeInvite,
  takeNodeInvite,
} from '../../store/platform/node-invites.ts'
import { audit } from '../base/audit.ts'
import type { Rows } from '../base/platform.ts'

export const nodeInviteMs = 15 * minuteMs
/** 36^32 codes: nobody finds one by trying. */
const codeLength = 32

/** Returns the code. `settings` is the text of a settings file. */
export async function inviteNode(platform: Rows, settings: string): Promise<string> {
  const code = randomText(codeLength)
  const { id, key } = partsOf(code)
  const now = platform.clock.now()
  const { sealed } = key.seal(settings, placeOf(id))
  await platform.store.transact(async tx => {
    await deleteExpiredNodeInvites(tx, now)
    await insertNodeInvite(tx, { id, sealed, expires_at: now + nodeInviteMs })
    await audit(platform, tx, { ip: '' }, { action: 'node.invite' })
  })
  return code
}

/** Hands out what is sealed with the code, once. */
export async function giveSettings(platform: Rows, ip: string, id: string): Promise<string> {
  return await platform.store.transact(async tx => {
    const row = await takeNodeInvite(tx, id, platform.clock.now())
    if (!row)
      throw new Fault(
        'not_found',
        "This code is not valid: it works once, for 15 minutes. Run 'svcd nodes invite' again.",
      )
    await audit(platform, tx, { ip }, { action: 'node.join', target: ip })
    return row.sealed
  })
}

/** For the new node: what names the code without revealing it, and what opens the settings. */
export function readNodeCode(code: string): { id: string; open(sealed: string): string } {
  const { id, key } = partsOf(code.trim().toLowerCase())
  return { id, open: sealed => key.open({ key_id: key.id, sealed }, placeOf(id)) }
}

const placeOf = (id: string) => ['node_invites', id, 'sealed']

function partsOf(code: string): { id: string; key: SealKey } {
  const derive = (purpose: string) => createHmac('sha256', code).update(purpose).digest()
  const key = SealKey.parse(derive('settings of a node').toString('base64'))
  if (!key) throw new Error('a digest of SHA-256 has 32 bytes')
  return { id: derive('name of the code').toString('base64url'), key }
}

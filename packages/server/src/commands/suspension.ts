// What `svcd projects` and `svcd users` share: suspend and resume.
import { shapes } from '@svc/contract'
import { resume, suspend } from '../core/admin/suspensions.ts'
import type { Rows } from '../core/base/platform.ts'
import { Fault } from '../lib/fault.ts'

export const suspensionOptions = { status: { type: 'string' }, reason: { type: 'string' } } as const

interface Given {
  status?: string | undefined
  reason?: string | undefined
}

type Kind = 'project' | 'account'

export async function suspendAs(
  platform: Rows,
  kind: Kind,
  name: string,
  { status = '503', reason }: Given,
): Promise<void> {
  if (status !== '451' && status !== '503')
    throw new Fault('invalid_request', '--status must be 451 (for legal reasons) or 503.')
  const read = shapes.suspensionReason.safeParse(reason)
  if (!read.success)
    throw new Fault('invalid_request', 'Say why, in at most 500 characters: --reason "…". Visitors see it.')
  const number = status === '451' ? 451 : 503
  await suspend(platform, { ip: '' }, kind, name, { status: number, reason: read.data })
  process.stderr.write(`Suspended ${name}. Visitors get ${status} and the reason. Nothing is deleted.\n`)
}

export async function resumeAs(platform: Rows, kind: Kind, name: string): Promise<void> {
  await resume(platform, { ip: '' }, kind, name)
  process.stderr.write(`Resumed ${name}.\n`)
}

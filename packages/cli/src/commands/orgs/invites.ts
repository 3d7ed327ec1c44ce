// Invites into an organization. The link is in the answer to its creation and nowhere else.
import type { CreatedInvite } from '@svc/contract'
import type { Sparse } from '@svc/contract/client'
import type { Run } from '../../command.ts'
import { Failure } from '../../failure.ts'
import { bold, clean, cyan, dim, minute, print, printJson, printTable } from '../../output.ts'
import { connect, required } from '../../session.ts'

export const invite: Run = async ({ args: [name = '', email = ''], options }) => {
  const role = options.role ?? 'member'
  if (role !== 'member' && role !== 'admin')
    throw new Failure(`Option '--role' must be member or admin, not '${role}'.`)
  const made = await connect()('POST /orgs/:name/invites', { params: { name }, body: { email, role } })
  if (options.json) return printJson(made)
  print(`Invited ${bold(email)} to ${name} as ${role}.`)
  showLink(made)
}

export const resendInvite: Run = async ({ args: [name = '', id = ''], options }) => {
  const made = await connect()('POST /orgs/:name/invites/:id/resend', { params: { name, id } })
  if (options.json) return printJson(made)
  print(`${bold(clean(made.email))} is invited to ${name} again. The earlier link has ended.`)
  showLink(made)
}

function showLink(made: Sparse<CreatedInvite>): void {
  print(cyan(required(made, 'invite_url')))
  const end = minute(made.expires_at)
  const note = `The link is shown only now; it works once${end && `, until ${end} UTC`}.`
  print(
    made.email_sent ? `It was sent by email, too. ${note}` : `No email was sent: pass the link on. ${note}`,
  )
}

export const listInvites: Run = async ({ args: [name = ''], options }) => {
  const answer = await connect()('GET /orgs/:name/invites', { params: { name } })
  if (options.json) return printJson(answer)
  const invites = required(answer, 'invites')
  if (invites.length === 0) return print(`No pending invites in ${name}.`)
  printTable(
    invites.map(({ id, email, role, sender, expires_at }) => [
      bold(id),
      clean(email),
      role ?? '',
      sender ? `by ${sender}` : '',
      dim(expires_at && `until ${minute(expires_at)}`),
    ]),
  )
}

export const revokeInvite: Run = async ({ args: [name = '', id = ''] }) => {
  await connect()('DELETE /orgs/:name/invites/:id', { params: { name, id } })
  print(`Revoked ${id}.`)
}

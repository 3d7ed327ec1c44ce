// The pending invites of an org.
import type { Invite } from '@svc/contract'
import { call } from '../../api.ts'
import { type Resource, useResource, writeResource } from '../../resource.ts'

const key = (org: string) => `invites of ${org}`

export const useInvites = (org: string): Resource<Invite[]> =>
  useResource(
    key(org),
    async () => (await call('GET /orgs/:name/invites', { params: { name: org } })).invites,
  )

export async function createInvite(org: string, body: { email: string; role: 'member' | 'admin' }) {
  const { invite_url, email_sent, ...invite } = await call('POST /orgs/:name/invites', {
    params: { name: org },
    body,
  })
  writeResource<Invite[]>(key(org), invites => [invite, ...invites])
  return { invite, url: invite_url, emailSent: email_sent }
}

export async function resendInvite({ id, org }: Invite) {
  const { invite_url, email_sent, ...invite } = await call('POST /orgs/:name/invites/:id/resend', {
    params: { name: org, id },
  })
  writeResource<Invite[]>(key(org), invites => invites.map(other => (other.id === id ? invite : other)))
  return { invite, url: invite_url, emailSent: email_sent }
}

export async function revokeInvite({ id, org }: Invite): Promise<void> {
  await call('DELETE /orgs/:name/invites/:id', { params: { name: org, id } })
  writeResource<Invite[]>(key(org), invites => invites.filter(invite => invite.id !== id))
}

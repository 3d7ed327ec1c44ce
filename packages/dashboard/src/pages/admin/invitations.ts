// The pending invitations to create an account.
import type { AccountInvite } from '@svc/contract'
import { call } from '../../api.ts'
import { type Resource, useResource, writeResource } from '../../resource.ts'

const key = 'account invites'

export const useInvitations = (): Resource<AccountInvite[]> =>
  useResource(key, async () => (await call('GET /admin/invites')).invites)

export async function createInvitation(email: string) {
  const made = await call('POST /admin/invites', { body: email ? { email } : {} })
  const { invite_url, email_sent, ...invite } = made
  writeResource<AccountInvite[]>(key, invites => [invite, ...invites])
  return { invite, url: invite_url, emailSent: email_sent }
}

export async function revokeInvitation({ id }: AccountInvite): Promise<void> {
  await call('DELETE /admin/invites/:id', { params: { id } })
  writeResource<AccountInvite[]>(key, invites => invites.filter(invite => invite.id !== id))
}

// Organizations, their members, invites and tokens.
import { z } from 'zod'
import { id, timestamp } from './basics.ts'
import { token } from './identity.ts'

export const orgToken = token.extend({ created_by: z.string().nullable() })

export const role = z.enum(['member', 'admin', 'owner'])

export const org = z.object({
  id: id('org'),
  name: z.string(),
  display_name: z.string().nullable(),
  icon_url: z.string().nullable(),
  role,
  created_at: timestamp,
})

export const member = z.object({ login: z.string(), role, joined_at: timestamp })

export const orgDetail = org.extend({ members: z.array(member), project_count: z.number().int() })

export const invite = z.object({
  id: id('inv'),
  org: z.string(),
  email: z.string(),
  role,
  sender: z.string(),
  created_at: timestamp,
  expires_at: timestamp,
})

export const createdInvite = invite.extend({ invite_url: z.string(), email_sent: z.boolean() })

export type OrgToken = z.infer<typeof orgToken>
export type Role = z.infer<typeof role>
export type Org = z.infer<typeof org>
export type OrgDetail = z.infer<typeof orgDetail>
export type Member = z.infer<typeof member>
export type Invite = z.infer<typeof invite>
export type CreatedInvite = z.infer<typeof createdInvite>

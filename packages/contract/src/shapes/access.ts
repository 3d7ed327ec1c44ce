// Who may see a site.
import { z } from 'zod'
import { limits } from '../limits.ts'
import { id, timestamp } from './basics.ts'

export const accessMode = z.enum(['public', 'password', 'org'])
/** `site`: the same as the site. */
export const previewAccessMode = z.enum(['site', 'password', 'org'])
export const sitePassword = z.string().min(limits.sitePassword.min).max(limits.sitePassword.max)

export const previewLink = z.object({
  id: id('lnk'),
  branch: z.string().nullable().describe('Null if the link is for the permanent URL of a deployment'),
  deployment_id: id('dep').nullable().describe('Null if the link is for a branch'),
  preview_url: z.string().describe('The preview, without the secret'),
  created_at: timestamp,
  created_by: z.string().nullable().describe('Login of its creator'),
  expires_at: timestamp,
})

export const createdPreviewLink = previewLink.extend({
  url: z.string().describe('The link to pass on. It is only in this answer'),
})

export type PreviewLink = z.infer<typeof previewLink>
export type CreatedPreviewLink = z.infer<typeof createdPreviewLink>
export type PreviewAccessMode = z.infer<typeof previewAccessMode>
export type AccessMode = z.infer<typeof accessMode>

// Who may see a site.
import { z } from 'zod'
import { limits } from '../limits.ts'

export const accessMode = z.enum(['public', 'password', 'org'])
/** `site`: the same as the site. */
export const previewAccessMode = z.enum(['site', 'password', 'org'])
export const sitePassword = z.string().min(limits.sitePassword.min).max(limits.sitePassword.max)

export type PreviewAccessMode = z.infer<typeof previewAccessMode>
export type AccessMode = z.infer<typeof accessMode>

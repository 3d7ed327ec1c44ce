// Who may see a site.
import { z } from 'zod'
import { limits } from '../limits.ts'

export const accessMode = z.enum(['public', 'password', 'org'])
export const sitePassword = z.string().min(limits.sitePassword.min).max(limits.sitePassword.max)

export type AccessMode = z.infer<typeof accessMode>

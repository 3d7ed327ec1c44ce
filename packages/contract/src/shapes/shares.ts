// Temporary shares.
import { z } from 'zod'
import { id, timestamp } from './basics.ts'

export const share = z.object({
  name: z.string(),
  url: z.string(),
  deployment_id: id('dep'),
  created_at: timestamp,
  expires_at: timestamp,
})

/** A share's deployment has no record to look at later, so its warnings come with the answer. */
export const createdShare = share.extend({ warnings: z.array(z.string()) })

export type Share = z.infer<typeof share>
export type CreatedShare = z.infer<typeof createdShare>

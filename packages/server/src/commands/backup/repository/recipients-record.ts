// The file `repository` of backups for public keys: for which ones they are, and the key of the lists, sealed for them.
import { z } from 'zod'

const record = z.strictObject({
  format: z.literal(2),
  recipients: z.array(z.string().max(100)).min(1).max(5),
  /** A file of age, in base64. */
  lists: z.string().max(3000),
})

export type RecipientsRecord = z.infer<typeof record>

export function readRecipientsRecord(text: string): RecipientsRecord | undefined {
  try {
    return record.safeParse(JSON.parse(text)).data
  } catch {
    return undefined // No JSON.
  }
}

export const recipientsRecordText = (recipients: readonly string[], lists: Buffer): string =>
  `${JSON.stringify({ format: 2, recipients, lists: lists.toString('base64') })}\n`

// What a notification says: the body of a webhook, and the email.
import type { Mail } from '../../ports/mailer/port.ts'
import type { NotificationDeliveryRow } from '../../store/tables.ts'
import type { Platform } from '../base/platform.ts'
import { isoTime } from '../base/times.ts'
import { chatBody } from './chat.ts'
import type { Content } from './notify.ts'

type Urls = Pick<Platform, 'urls'>

/** Every attempt at the same address sends the same bytes. */
export function bodyOf({ urls }: Urls, address: string, row: NotificationDeliveryRow): string {
  const { text, project, org, subject, error, facts, page } = contentOf(row)
  const url = urls.dashboard + page
  const chat = chatBody(address, { text, error, url })
  if (chat) return JSON.stringify(chat)
  const at = isoTime(row.created_at)
  return JSON.stringify({
    id: row.id,
    type: row.type,
    created_at: at,
    text,
    project,
    org,
    subject,
    error,
    ...facts,
    url,
  })
}

export function mailOf({ urls }: Urls, row: NotificationDeliveryRow, isOfOrg: boolean): Omit<Mail, 'to'> {
  const { text, error, page, project, org } = contentOf(row)
  const settings = isOfOrg ? `/orgs/${org}/settings` : `/projects/${project}/notifications`
  return {
    subject: text.replace(/\s+/g, ' ').slice(0, 200),
    text: `${text}
${error ? `\n${error}\n` : ''}
Details: ${urls.dashboard}${page}

--
Which emails you get: ${urls.dashboard}${settings}
`,
    messageId: `<${row.id}@${new URL(urls.dashboard).hostname}>`,
  }
}

const contentOf = ({ content }: NotificationDeliveryRow): Content => JSON.parse(content) as Content

// Messages for chat services. They take a webhook only in a form of their own; the URL says which service it is. What a message
// says comes from builds and apps of anybody, so it is never read as markup, and mentions nobody.

interface Message {
  text: string
  error: string | null
  /** The page with the details. */
  url: string
}

interface Service {
  isAt(url: URL): boolean
  bodyOf(message: Message): object
}

const isBelow = ({ hostname }: URL, ...domains: string[]): boolean =>
  domains.some(domain => hostname === domain || hostname.endsWith(`.${domain}`))

/** A text longer than this is refused by Discord, together with what stands around it. */
const longestPart = 800

const services: readonly Service[] = [
  {
    isAt: url => isBelow(url, 'hooks.slack.com', 'hooks.slack-gov.com') || isSlackOfDiscord(url),
    bodyOf: ({ text, error, url }) => {
      const plain = (words: string) =>
        words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
      return { text: [plain(text), ...codeOf(error).map(plain), `<${url}|Details>`].join('\n') }
    },
  },
  {
    isAt: url => isBelow(url, 'discord.com', 'discordapp.com') && url.pathname.startsWith('/api/'),
    bodyOf: ({ text, error, url }) => ({
      content: [escapeMarkdown(text).slice(0, longestPart), ...codeOf(error), `<${url}>`].join('\n'),
      allowed_mentions: { parse: [] },
    }),
  },
  {
    isAt: url => isBelow(url, 'webhook.office.com', 'logic.azure.com', 'api.powerplatform.com'),
    bodyOf: ({ text, error, url }) => ({
      type: 'message',
      attachments: [
        { contentType: 'application/vnd.microsoft.card.adaptive', content: cardOf({ text, error, url }) },
      ],
    }),
  },
]

/** Discord also takes messages for Slack, at a URL with this end. */
const isSlackOfDiscord = (url: URL): boolean =>
  isBelow(url, 'discord.com', 'discordapp.com') && url.pathname.endsWith('/slack')

const codeOf = (error: string | null): string[] =>
  error ? [`\`\`\`\n${error.slice(0, longestPart).replaceAll('```', "'''")}\n\`\`\``] : []

const escapeMarkdown = (text: string): string => text.replace(/[\\*_~`|>#[\]()<@]/g, '\\$&')

/** The text runs of a card are shown as they are. */
const cardOf = ({ text, error, url }: Message): object => ({
  $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
  type: 'AdaptiveCard',
  version: '1.4',
  body: [
    { type: 'RichTextBlock', inlines: [{ type: 'TextRun', text, weight: 'Bolder' }] },
    ...(error
      ? [{ type: 'RichTextBlock', inlines: [{ type: 'TextRun', text: error, fontType: 'Monospace' }] }]
      : []),
  ],
  actions: [{ type: 'Action.OpenUrl', title: 'Details', url }],
})

/** The body for a chat service. `undefined` if the address belongs to none. */
export const chatBody = (address: string, message: Message): object | undefined =>
  serviceAt(address)?.bodyOf(message)

/** Chat services check no signature. */
export const isChat = (address: string): boolean => serviceAt(address) !== undefined

function serviceAt(address: string): Service | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined
  return url && services.find(service => service.isAt(url))
}

import { expect, it } from 'vitest'
import { chatBody } from './chat.ts'

const hostile = {
  text: 'shop: the build of <!channel> @everyone [sign in](https://evil.example) *failed*.',
  error: '```<@U1> @everyone [x](https://evil.example)',
  url: 'https://app.example.test/projects/shop',
}

it('what a build says mentions nobody and is no markup in Slack', () => {
  const { text } = chatBody('https://hooks.slack.com/services/x', hostile) as { text: string }
  expect(text.replace('<https://app.example.test/projects/shop|Details>', '')).not.toMatch(/[<>]/)
  expect(text.match(/```/g)).toHaveLength(2)
})

it('what a build says mentions nobody and is no markup in Discord', () => {
  const body = chatBody('https://ptb.discord.com/api/webhooks/1/x', hostile) as Record<string, unknown>
  expect(body.allowed_mentions).toEqual({ parse: [] })
  expect(body.content).toContain(String.raw`\[sign in\]\(https://evil.example\) \*failed\*`)
  expect(String(body.content).match(/```/g)).toHaveLength(2)
  const long = { ...hostile, text: '*'.repeat(5_000), error: 'y'.repeat(5_000) }
  const { content } = chatBody('https://discord.com/api/webhooks/1/x', long) as { content: string }
  expect(content.length).toBeLessThanOrEqual(2_000)
})

it.each([
  'https://hooks.slack.com.evil.example/x',
  'https://discord.com/',
  'https://example.com/discord.com/api/',
])('%s is no chat service', address => expect(chatBody(address, hostile)).toBeUndefined())

// Where there is no AI usage yet: how to make the first request.
import { LinkButton } from '../../components/button.tsx'
import { CopyButton, CopyField } from '../../components/copy.tsx'
import { Empty } from '../../components/empty.tsx'
import { orgPath } from '../../orgs.ts'
import { href } from '../../paths.ts'
import styles from './first-steps.module.css'

interface FirstStepsProps {
  /** Undefined for the account's own. */
  org: string | undefined
  baseUrl: string
  when: string
}

export function FirstSteps({ org, baseUrl, when }: FirstStepsProps) {
  return (
    <Empty title={`No AI requests in ${when}`}>
      <p>
        The AI gateway speaks as OpenAI’s API does. Create an AI token, and use it with any client that takes
        a base URL.
      </p>
      <AiAccess org={org} baseUrl={baseUrl} />
      <Snippet title="curl" text={curl(baseUrl)} />
      <Snippet title="JavaScript, with the package openai" text={javascript(baseUrl)} />
    </Empty>
  )
}

/** What every client needs: the base URL, and a token. */
export function AiAccess({ org, baseUrl }: Pick<FirstStepsProps, 'org' | 'baseUrl'>) {
  return (
    <div className={styles.access}>
      <CopyField text={baseUrl} label="Copy the base URL" />
      <LinkButton href={org === undefined ? href('/tokens') : orgPath(org, '/orgs/:name/tokens')}>
        Create an AI token
      </LinkButton>
    </div>
  )
}

function Snippet({ title, text }: { title: string; text: string }) {
  return (
    <figure className={styles.snippet}>
      <figcaption>
        {title}
        <CopyButton text={text} label={`Copy the example: ${title}`} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: on narrow screens it scrolls, with the keyboard too */}
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
    </figure>
  )
}

const curl = (baseUrl: string) => `curl ${baseUrl}/chat/completions \\
  -H "Authorization: Bearer $SVC_AI_TOKEN" \\
  -H "Content-Type: application/json" \\
  -d '{"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hello"}]}'`

const javascript = (baseUrl: string) => `import OpenAI from 'openai'

const client = new OpenAI({
  baseURL: '${baseUrl}',
  apiKey: process.env.SVC_AI_TOKEN,
})`

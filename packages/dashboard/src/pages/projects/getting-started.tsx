// What someone without projects sees: the ways to a first site, ready to copy, click or drop.
import { Button } from '../../components/button.tsx'
import { Command } from '../../components/copy.tsx'
import { config } from '../../config.ts'
import { DropZone } from '../../drop/drop-zone.tsx'
import styles from './getting-started.module.css'
import { type Beginning, offersTemplates } from './new-project-dialog.tsx'

/** The CLI knows the default address by itself. */
function loginCommand(): string {
  const { api_url, platform_domain } = config()
  const isDefault = platform_domain === 'localhost' && new URL(api_url).port === '8080'
  return isDefault ? 'svc login' : `svc login --api-url ${api_url}`
}

const steps = (org: string | undefined) => [
  { does: 'Install svc, with Node.js 20.19 or newer', command: `npm install -g ${config().api_url}/svc.tgz` },
  { does: 'Connect your terminal to this account', command: loginCommand() },
  ...(org ? [{ does: 'Name the project, in its folder', command: `svc init --org ${org}` }] : []),
  {
    does: org ? 'Deploy it: svc builds it first if you want' : 'Name, build and deploy it, in its folder',
    command: 'svc deploy',
  },
]

interface GettingStartedProps {
  org?: string | undefined
  onCreate: (beginning: Beginning) => void
}

export function GettingStarted({ org, onCreate }: GettingStartedProps) {
  return (
    <div className={styles.ways}>
      <section className={styles.first} aria-labelledby="with-git">
        <div className={styles.words}>
          <h2 id="with-git" className={styles.title}>
            From a git repository
          </h2>
          <p>
            Every push is built and deployed: the production branch as the site, other branches as previews.
          </p>
        </div>
        <div className={styles.buttons}>
          {offersTemplates() && (
            <Button icon="copy" onClick={() => onCreate('template')}>
              Choose a template
            </Button>
          )}
          <Button look="primary" icon="branch" onClick={() => onCreate('repository')}>
            Import or push a repository
          </Button>
        </div>
      </section>
      <section className={styles.way} aria-labelledby="with-terminal">
        <h2 id="with-terminal" className={styles.title}>
          From your terminal
        </h2>
        <ol className={styles.steps}>
          {steps(org).map(({ does, command }, index) => (
            <li key={command} className={styles.step}>
              <span className={styles.number} aria-hidden="true">
                {index + 1}
              </span>
              <div className={styles.doing}>
                <p>{does}</p>
                <Command>{command}</Command>
              </div>
            </li>
          ))}
        </ol>
      </section>
      <section className={styles.way} aria-labelledby="in-browser">
        <h2 id="in-browser" className={styles.title}>
          In the browser
        </h2>
        <DropZone target={{ kind: 'new', org }} />
        <p className={styles.or}>
          Or start with a name:
          <Button size="small" icon="plus" onClick={() => onCreate('folder')}>
            New project
          </Button>
        </p>
      </section>
    </div>
  )
}

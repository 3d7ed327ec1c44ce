// What a project that is online may want next. The list goes away when all of it is done, or when it was hidden.
import type { ProjectDetail } from '@svc/contract'
import { useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { Row, RowLink, Rows } from '../../../components/rows.tsx'
import { Section } from '../../../components/section.tsx'
import { config } from '../../../config.ts'
import { href } from '../../../paths.ts'
import { hide, isHidden } from './hidden-steps.ts'
import styles from './next-steps.module.css'

interface Step {
  title: string
  words: () => string
  path: '/projects/:name/git' | '/projects/:name/domains'
  isDone: (project: ProjectDetail) => boolean
}

const steps: Step[] = [
  {
    title: 'Deploy with every push',
    words: () =>
      'Connect a git repository: its production branch becomes the site, other branches become previews.',
    path: '/projects/:name/git',
    isDone: ({ repo }) => repo !== null,
  },
  {
    title: 'Use a domain of your own',
    words: () =>
      config().certificates ? 'It gets its certificate by itself.' : 'One DNS record leads it here.',
    path: '/projects/:name/domains',
    isDone: ({ domains }) => domains.length > 0,
  },
]

export function NextSteps({ project }: { project: ProjectDetail }) {
  const { name } = project
  const [hidden, setHidden] = useState(() => isHidden(name))
  const open = steps.filter(({ isDone }) => !isDone(project))
  if (hidden || open.length === 0) return null

  function putAway() {
    hide(name)
    setHidden(true)
  }

  return (
    <Section
      title="Next steps"
      actions={
        <Button size="small" onClick={putAway}>
          Hide
        </Button>
      }
    >
      <Rows columns="minmax(0, 1fr)" label="Next steps">
        {open.map(({ title, words, path }) => (
          <Row key={title} opens>
            <div>
              <RowLink href={href(path, { name })}>{title}</RowLink>
              <p className={styles.words}>{words()}</p>
            </div>
          </Row>
        ))}
      </Rows>
    </Section>
  )
}

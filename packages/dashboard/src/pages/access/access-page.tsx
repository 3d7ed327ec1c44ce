// Who may see a project's site.
import type { AccessMode, ProjectDetail } from '@svc/contract'
import { useState } from 'react'
import { call, explain } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { CopyField } from '../../components/copy.tsx'
import { Form } from '../../components/form.tsx'
import { Notice } from '../../components/notice.tsx'
import { notify } from '../../components/toasts.tsx'
import { writeResource } from '../../resource.ts'
import { useWork } from '../../use-work.ts'
import { detailKey } from '../projects/project/detail.ts'
import { ProjectLayout } from '../projects/project/project-layout.tsx'
import styles from './access-page.module.css'
import { ModeField } from './mode-field.tsx'
import { modes } from './modes.ts'
import { problemOf } from './new-password.ts'
import { SitePasswordField } from './password-field.tsx'
import { PreviewAccess } from './preview-access.tsx'
import { PreviewLinks } from './preview-links.tsx'

export function AccessPage() {
  return (
    <ProjectLayout tab="Access">
      {project => (
        <>
          <Access project={project} />
          <PreviewAccess project={project} />
          <PreviewLinks project={project.name} />
        </>
      )}
    </ProjectLayout>
  )
}

async function save(name: string, mode: AccessMode, password: string): Promise<void> {
  const body = mode === 'password' && password !== '' ? { mode, password } : { mode }
  await call('PUT /projects/:name/access', { params: { name }, body })
  writeResource<ProjectDetail>(detailKey(name), project => ({ ...project, access: { mode } }))
  notify({ tone: 'ok', text: modes.find(words => words.mode === mode)?.done ?? '' })
}

function Access({ project }: { project: ProjectDetail }) {
  const current = project.access.mode
  const [mode, setMode] = useState(current)
  const [password, setPassword] = useState('')
  const [fault, setFault] = useState<{ field: 'password' | 'form'; text: string }>()
  const { busy, run } = useWork(failure => setFault({ field: 'form', text: explain(failure) }))
  /** The password that was just set, to be passed on while this page is open. */
  const [fresh, setFresh] = useState<string>()
  const isSet = current === 'password'
  const changes = mode !== current || (mode === 'password' && password !== '')

  function submit() {
    if (!changes || busy) return
    const problem = mode === 'password' ? problemOf(password) : undefined
    setFault(problem ? { field: 'password', text: problem } : undefined)
    if (problem) return
    run(async () => {
      await save(project.name, mode, password)
      setFresh(mode === 'password' ? password : undefined)
      setPassword('')
    })
  }

  return (
    <Form className={styles.form} onSubmit={submit}>
      <header>
        <h2 className={styles.title}>Who may see the site</h2>
        <p className={styles.lead}>
          This holds for every URL of the project: production, previews, permanent URLs and domains. Previews
          can have a setting of their own, below.
        </p>
      </header>
      <ModeField
        mode={mode}
        unavailable={project.org === null ? { org: 'Only for projects that an organization owns.' } : {}}
        onChange={chosen => {
          setMode(chosen)
          setFault(undefined)
        }}
      >
        {mode === 'password' && (
          <>
            {fresh !== undefined && (
              <Notice tone="ok">
                <p>This is the password now. Pass it on: it is not shown again.</p>
                <CopyField text={fresh} label="Copy the password" />
              </Notice>
            )}
            <SitePasswordField
              isSet={isSet}
              value={password}
              error={fault?.field === 'password' ? fault.text : undefined}
              onChange={typed => {
                setPassword(typed)
                setFault(undefined)
              }}
            />
          </>
        )}
      </ModeField>
      {fault?.field === 'form' && <Notice tone="error">{fault.text}</Notice>}
      {changes && current !== 'public' && <Notice tone="info">{consequences[mode]}</Notice>}
      <div className={styles.actions}>
        <Button type="submit" look="primary" busy={busy} disabled={!changes}>
          Save
        </Button>
        {!changes && <p className={styles.lead}>Saved</p>}
      </div>
    </Form>
  )
}

/** What a change of the mode means for visitors who were let in before. */
const consequences: Record<AccessMode, string> = {
  public:
    'Everyone can see the site from the moment you save, and the password, if there is one, is forgotten.',
  password: 'Everyone is locked out the moment you save, until they enter the new password.',
  org: 'Everyone is locked out the moment you save. Members get back in by signing in; the password is forgotten.',
}

// Who may see the previews of a project, where that differs from its site.
import type { PreviewAccessMode, ProjectDetail } from '@svc/contract'
import { useState } from 'react'
import { call } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { Form } from '../../components/form.tsx'
import { Notice } from '../../components/notice.tsx'
import { SelectField } from '../../components/select.tsx'
import { notify } from '../../components/toasts.tsx'
import { writeResource } from '../../resource.ts'
import { useFormWork } from '../../use-work.ts'
import { detailKey } from '../projects/project/detail.ts'
import styles from './access-page.module.css'
import { problemOf } from './new-password.ts'
import { SitePasswordField } from './password-field.tsx'

const words: Record<PreviewAccessMode, { label: string; done: string }> = {
  site: { label: 'Visitors of the site', done: 'Visitors who may see the site may see its previews.' },
  password: { label: 'Visitors with a password of the previews', done: 'Previews ask for their password.' },
  org: {
    label: 'Members of the organization',
    done: 'Only members of the organization can see the previews.',
  },
}

const modesFor = ({ org }: ProjectDetail): PreviewAccessMode[] =>
  org === null ? ['site', 'password'] : ['site', 'password', 'org']

export function PreviewAccess({ project }: { project: ProjectDetail }) {
  const { name } = project
  const current = project.preview_access.mode
  const [mode, setMode] = useState(current)
  const [password, setPassword] = useState('')
  const { busy, error, setError, run } = useFormWork()
  const changes = mode !== current || (mode === 'password' && password !== '')
  const problem = mode === 'password' ? problemOf(password) : undefined

  function submit() {
    if (!changes || busy) return
    if (problem) return setError(problem)
    run(async () => {
      const body = mode === 'password' ? { mode, password } : { mode }
      await call('PUT /projects/:name/access/previews', { params: { name }, body })
      writeResource<ProjectDetail>(detailKey(name), shown => ({ ...shown, preview_access: { mode } }))
      notify({ tone: 'ok', text: words[mode].done })
      setPassword('')
    })
  }

  return (
    <Form className={styles.form} onSubmit={submit}>
      <header>
        <h2 className={styles.title}>Who may see previews</h2>
        <p className={styles.lead}>
          Previews are all URLs but production: those of branches, permanent URLs, and domains that track a
          branch.
        </p>
      </header>
      <SelectField
        label="Previews"
        value={mode}
        options={modesFor(project).map(value => ({ value, title: words[value].label }))}
        onChoose={chosen => {
          setMode(chosen)
          setError(undefined)
        }}
      />
      {mode === 'password' && (
        <SitePasswordField
          name="preview-password"
          isSet={current === 'password'}
          value={password}
          error={error}
          onChange={typed => {
            setPassword(typed)
            setError(undefined)
          }}
        />
      )}
      {error && mode !== 'password' && <Notice tone="error">{error}</Notice>}
      <div className={styles.actions}>
        <Button type="submit" look="primary" busy={busy} disabled={!changes}>
          Save for previews
        </Button>
      </div>
    </Form>
  )
}

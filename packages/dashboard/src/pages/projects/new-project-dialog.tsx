import { useState } from 'react'
import { useLocation } from 'wouter'
import { call, codeOf, explain } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { Field } from '../../components/field.tsx'
import { Icon } from '../../components/icon.tsx'
import { Notice } from '../../components/notice.tsx'
import { siteUrl } from '../../config.ts'
import { bareUrl, formatCount } from '../../format.ts'
import type { Collection } from '../../upload/collect.ts'
import { startUpload } from '../../upload/uploads.ts'
import { projectList } from './list.ts'
import { asTyped, nameFromFolder, nameProblem, nameRules } from './name-rules.ts'
import styles from './new-project-dialog.module.css'

const aboutTheName = new Set(['invalid_name', 'reserved_name', 'name_taken'])

function Rules({ name }: { name: string }) {
  return (
    <ul className={styles.rules}>
      {nameRules.map(({ words, holds }) => {
        const state = name === '' ? 'open' : holds(name) ? 'met' : 'broken'
        return (
          <li key={words} className={styles[state]}>
            <Icon name={state === 'met' ? 'check' : state === 'broken' ? 'close' : 'dot'} size={14} />
            {words}
          </li>
        )
      })}
    </ul>
  )
}

interface NewProjectDialogProps {
  /** What to deploy into the project once it exists. */
  files?: Collection
  onClose: () => void
}

export function NewProjectDialog({ files, onClose }: NewProjectDialogProps) {
  const [name, setName] = useState(nameFromFolder(files?.folder ?? ''))
  const [error, setError] = useState<{ about: 'name' | 'all'; text: string }>()
  const [busy, setBusy] = useState(false)
  const [, navigate] = useLocation()

  async function create() {
    const problem = name === '' ? 'Give the project a name.' : nameProblem(name)
    setError(problem === undefined ? undefined : { about: 'name', text: problem })
    if (problem !== undefined) return
    setBusy(true)
    try {
      await call('POST /projects', { body: { name } })
      projectList.forget()
      if (files) void startUpload(name, Promise.resolve(files))
      navigate(`/projects/${name}`)
    } catch (failure) {
      setError({ about: aboutTheName.has(codeOf(failure)) ? 'name' : 'all', text: explain(failure) })
      setBusy(false)
    }
  }

  return (
    <Dialog title="New project" onClose={onClose}>
      <form
        className={styles.form}
        noValidate
        onSubmit={event => {
          event.preventDefault()
          void create()
        }}
      >
        {error?.about === 'all' && <Notice tone="error">{error.text}</Notice>}
        <Field
          label="Name"
          name="name"
          data-autofocus
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={60}
          placeholder="my-site"
          value={name}
          error={error?.about === 'name' ? error.text : undefined}
          hint={<Rules name={name} />}
          onChange={event => {
            setName(asTyped(event.target.value))
            setError(undefined)
          }}
        />
        <p className={styles.address}>
          It will be at <span>{bareUrl(siteUrl(name || 'my-site'))}</span>
        </p>
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={busy}>
            {files ? `Create and deploy ${formatCount(files.files.length, 'file')}` : 'Create project'}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

import { useState } from 'react'
import { useLocation } from 'wouter'
import { call, explain } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { isAboutTheName, NameField } from '../../components/name-field.tsx'
import { Notice } from '../../components/notice.tsx'
import { siteUrl } from '../../config.ts'
import { bareUrl, formatCount } from '../../format.ts'
import { nameFromFolder, nameProblem } from '../../name-rules.ts'
import type { Collection } from '../../upload/collect.ts'
import { startUpload } from '../../upload/uploads.ts'
import { forgetProjects } from './list.ts'
import styles from './new-project-dialog.module.css'

interface NewProjectDialogProps {
  /** The org that will own it; the caller's own account if there is none. */
  org?: string | undefined
  /** What to deploy into the project once it exists. */
  files?: Collection
  onClose: () => void
}

export function NewProjectDialog({ org, files, onClose }: NewProjectDialogProps) {
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
      await call('POST /projects', { body: { name, ...(org && { org }) } })
      forgetProjects()
      if (files) void startUpload(name, Promise.resolve(files))
      navigate(`/projects/${name}`)
    } catch (failure) {
      setError({ about: isAboutTheName(failure) ? 'name' : 'all', text: explain(failure) })
      setBusy(false)
    }
  }

  return (
    <Dialog title={org ? `New project in ${org}` : 'New project'} onClose={onClose}>
      <form
        className={styles.form}
        noValidate
        onSubmit={event => {
          event.preventDefault()
          void create()
        }}
      >
        {error?.about === 'all' && <Notice tone="error">{error.text}</Notice>}
        <NameField
          placeholder="my-site"
          value={name}
          error={error?.about === 'name' ? error.text : undefined}
          onChange={typed => {
            setName(typed)
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

import { useState } from 'react'
import { useLocation } from 'wouter'
import { call, explain } from '../../api.ts'
import { FormDialog } from '../../components/form-dialog.tsx'
import { isAboutTheName, NameField } from '../../components/name-field.tsx'
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
  const [problem, setProblem] = useState<string>()
  const [, navigate] = useLocation()

  async function run() {
    const wrong = name === '' ? 'Give the project a name.' : nameProblem(name)
    if (wrong !== undefined) return setProblem(wrong)
    try {
      await call('POST /projects', { body: { name, ...(org && { org }) } })
    } catch (failure) {
      if (!isAboutTheName(failure)) throw failure
      return setProblem(explain(failure))
    }
    forgetProjects()
    if (files) void startUpload(name, Promise.resolve(files))
    navigate(`/projects/${name}`)
  }

  return (
    <FormDialog
      title={org ? `New project in ${org}` : 'New project'}
      action={files ? `Create and deploy ${formatCount(files.files.length, 'file')}` : 'Create project'}
      run={run}
      onClose={onClose}
    >
      <NameField
        placeholder="my-site"
        value={name}
        error={problem}
        onChange={typed => {
          setName(typed)
          setProblem(undefined)
        }}
      />
      <p className={styles.address}>
        It will be at <span>{bareUrl(siteUrl(name || 'my-site'))}</span>
      </p>
    </FormDialog>
  )
}

import { useState } from 'react'
import { useLocation } from 'wouter'
import { call, explain } from '../../api.ts'
import { FormDialog } from '../../components/form-dialog.tsx'
import { isAboutTheName, NameField } from '../../components/name-field.tsx'
import { siteUrl } from '../../config.ts'
import { bareUrl } from '../../format.ts'
import { nameProblem } from '../../name-rules.ts'
import { href } from '../../paths.ts'
import { forgetProjects } from './list.ts'
import styles from './new-project-dialog.module.css'

interface NewProjectDialogProps {
  /** The org that will own it; the caller's own account if there is none. */
  org?: string | undefined
  onClose: () => void
}

export function NewProjectDialog({ org, onClose }: NewProjectDialogProps) {
  const [name, setName] = useState('')
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
    navigate(href('/projects/:name', { name }))
  }

  return (
    <FormDialog
      title={org ? `New project in ${org}` : 'New project'}
      action="Create project"
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

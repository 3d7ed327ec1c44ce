// Asks for whom the GitHub App is to be made, and leaves for GitHub.
import { useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { Field } from '../../../components/field.tsx'
import { FormDialog } from '../../../components/form-dialog.tsx'
import { createGitHubApp } from './settings.ts'

export function NewGitHubApp() {
  const [isOpen, setOpen] = useState(false)
  const [org, setOrg] = useState('')
  return (
    <>
      <Button onClick={() => setOpen(true)}>Create a GitHub App</Button>
      {isOpen && (
        <FormDialog
          title="Create a GitHub App"
          action="Go to GitHub"
          run={() => createGitHubApp(org.trim())}
          onClose={() => setOpen(false)}
        >
          <p>
            GitHub shows what the App may do, makes it with one click, and leads back here. The keys of the
            App are then stored.
          </p>
          <Field
            label="Organization at GitHub"
            optional
            look="mono"
            maxLength={39}
            hint="The owner of the App. Leave it empty for your own GitHub account."
            value={org}
            onChange={event => setOrg(event.target.value)}
          />
        </FormDialog>
      )}
    </>
  )
}

// The settings of the platform that an operator can change here.
import { Loaded } from '../../../components/loaded.tsx'
import { Notice } from '../../../components/notice.tsx'
import { AdminLayout } from '../admin-layout.tsx'
import { RestartNotice } from './restart-notice.tsx'
import { SectionForm } from './section-form.tsx'
import styles from './settings.module.css'
import { useSettings } from './settings.ts'

export function AdminSettingsPage() {
  return (
    <AdminLayout tab="Settings">
      <p className={styles.lead}>
        These settings are kept sealed in the database, for all servers of the platform. The environment and
        the settings file of a server win. Ports, files and keys are set on the server alone.
      </p>
      <Loaded resource={useSettings()} rows={6} label="Loading settings">
        {({ sections, unreadable, restart }) => (
          <>
            <RestartNotice restart={restart} />
            {unreadable.length > 0 && (
              <Notice tone="error">
                The key of these settings was lost. Set them again: {unreadable.join(', ')}.
              </Notice>
            )}
            {sections.map(section => (
              <SectionForm key={section.title} section={section} />
            ))}
          </>
        )}
      </Loaded>
    </AdminLayout>
  )
}

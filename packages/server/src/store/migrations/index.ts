// The one list of migrations. A migration that has shipped is never edited; the next change is a new one.

import type { Migration } from 'kysely'
import type { Engine } from '../store.ts'
import { skeleton } from './001-skeleton.ts'
import { teams } from './002-teams.ts'
import { domains } from './003-domains.ts'
import { certificates } from './004-certificates.ts'
import { stats } from './005-stats.ts'
import { forms } from './006-forms.ts'
import { apps } from './007-apps.ts'
import { crons } from './008-crons.ts'
import { platform } from './009-platform.ts'
import { logRequests } from './010-log-requests.ts'
import { appPorts } from './011-app-ports.ts'
import { bounds } from './012-bounds.ts'
import { tokenUse } from './013-token-use.ts'
import { domainProofs } from './014-domain-proofs.ts'
import { builds } from './015-builds.ts'
import { github } from './016-github.ts'
import { deployHooks } from './017-deploy-hooks.ts'
import { billing } from './018-billing.ts'
import { invoices } from './019-invoices.ts'
import { ai } from './020-ai.ts'
import { rowBounds } from './021-row-bounds.ts'
import { deletedUsage } from './022-deleted-usage.ts'
import { deploymentTimes } from './023-deployment-times.ts'
import { uploadParts } from './024-upload-parts.ts'
import { stars } from './025-stars.ts'
import { appUsage } from './026-app-usage.ts'
import { domainRedirects } from './027-domain-redirects.ts'
import { formerNames } from './028-former-names.ts'
import { notifications } from './029-notifications.ts'
import { requests } from './030-requests.ts'
import { deliveryHashes } from './031-delivery-hashes.ts'
import { tokenProjects } from './032-token-projects.ts'
import { secondFactors } from './033-second-factors.ts'
import { passkeys } from './034-passkeys.ts'
import { disabledAccounts } from './035-disabled-accounts.ts'
import { retention } from './036-retention.ts'
import { formInbox } from './037-form-inbox.ts'
import { accountInvites } from './038-account-invites.ts'
import { pictures } from './039-pictures.ts'
import { jobErrors } from './040-job-errors.ts'
import { emailChanges } from './041-email-changes.ts'
import { branchSlugs } from './042-branch-slugs.ts'
import { repositoryBytes } from './043-repository-bytes.ts'
import { jobPayloads } from './045-job-payloads.ts'
import { platformVersion } from './049-platform-version.ts'
import { feedCursor } from './052-feed-cursor.ts'
import { platformKey } from './053-platform-key.ts'
import { envTargets } from './060-env-targets.ts'
import { supersededAt } from './062-superseded-at.ts'
import { notificationLogs } from './064-notification-logs.ts'
import { suspensions } from './065-suspensions.ts'
import { sharedRepositories } from './070-shared-repositories.ts'
import { hostCertificates } from './076-host-certificates.ts'
import { storedTotals } from './078-stored-totals.ts'
import { productionLocks } from './087-production-locks.ts'
import { accountDeletion } from './088-account-deletion.ts'
import { previewAccess } from './089-preview-access.ts'
import { scrubs } from './090-scrubs.ts'
import { backups } from './093-backups.ts'
import { nodeVersions } from './099-node-versions.ts'
import { ownerLimits } from './102-owner-limits.ts'
import { buildLogTimes } from './116-build-log-times.ts'
import { deploymentImages } from './125-deployment-images.ts'
import { nodes } from './126-nodes.ts'
import { nodeInvites } from './127-node-invites.ts'
import { releaseCommands } from './130-release-commands.ts'
import { previewLinks } from './137-preview-links.ts'
import { aiReservations } from './138-ai-reservations.ts'
import { gitHosts } from './139-git-hosts.ts'
import { operatorSettings } from './140-operator-settings.ts'
import { disks } from './141-disks.ts'
import { appDatabases } from './142-app-databases.ts'
import { renewalInfo } from './143-renewal-info.ts'
import { buildRetries } from './144-build-retries.ts'
import { charts } from './145-charts.ts'
import { previewDatabases } from './146-preview-databases.ts'
import { seeds } from './147-seeds.ts'
import { previewData } from './148-preview-data.ts'
import { lastActivity } from './149-last-activity.ts'
import { filledDatabases } from './150-filled-databases.ts'
import { previewDisks } from './151-preview-disks.ts'
import { backupKeys } from './155-backup-keys.ts'
import { sharedDisks } from './156-shared-disks.ts'
import { deploymentOrders } from './160-deployment-orders.ts'
import { dueRows } from './161-due-rows.ts'
import { commitsOfUploads } from './162-commits-of-uploads.ts'
import { branchOrder } from './163-branch-order.ts'

export const migrations = (engine: Engine): Record<string, Migration> => ({
  '001_skeleton': { up: db => skeleton(db, engine) },
  '002_teams': { up: teams },
  '003_domains': { up: domains },
  '004_certificates': { up: certificates },
  '005_stats': { up: db => stats(db, engine) },
  '006_forms': { up: forms },
  '007_apps': { up: apps },
  '008_crons': { up: crons },
  '009_platform': { up: platform },
  '010_log_requests': { up: logRequests },
  '011_app_ports': { up: appPorts },
  '012_bounds': { up: bounds },
  '013_token_use': { up: tokenUse },
  '014_domain_proofs': { up: domainProofs },
  '015_builds': { up: builds },
  '016_github': { up: github },
  '017_deploy_hooks': { up: deployHooks },
  '018_billing': { up: billing },
  '019_invoices': { up: invoices },
  '020_ai': { up: ai },
  '021_row_bounds': { up: rowBounds },
  '022_deleted_usage': { up: deletedUsage },
  '023_deployment_times': { up: deploymentTimes },
  '024_upload_parts': { up: uploadParts },
  '025_stars': { up: stars },
  '026_app_usage': { up: appUsage },
  '027_domain_redirects': { up: domainRedirects },
  '028_former_names': { up: formerNames },
  '029_notifications': { up: notifications },
  '030_requests': { up: db => requests(db, engine) },
  '031_delivery_hashes': { up: deliveryHashes },
  '032_token_projects': { up: tokenProjects },
  '033_second_factors': { up: secondFactors },
  '034_passkeys': { up: passkeys },
  '035_disabled_accounts': { up: disabledAccounts },
  '036_retention': { up: retention },
  '037_form_inbox': { up: formInbox },
  '038_account_invites': { up: accountInvites },
  '039_pictures': { up: pictures },
  '040_job_errors': { up: jobErrors },
  '041_email_changes': { up: emailChanges },
  '042_branch_slugs': { up: branchSlugs },
  '043_repository_bytes': { up: repositoryBytes },
  '045_job_payloads': { up: jobPayloads },
  '049_platform_version': { up: platformVersion },
  '052_feed_cursor': { up: feedCursor },
  '053_platform_key': { up: platformKey },
  '060_env_targets': { up: envTargets },
  '062_superseded_at': { up: supersededAt },
  '064_notification_logs': { up: notificationLogs },
  '065_suspensions': { up: suspensions },
  '070_shared_repositories': { up: sharedRepositories },
  '076_host_certificates': { up: hostCertificates },
  '078_stored_totals': { up: storedTotals },
  '087_production_locks': { up: productionLocks },
  '088_account_deletion': { up: accountDeletion },
  '089_preview_access': { up: previewAccess },
  '090_scrubs': { up: scrubs },
  '093_backups': { up: backups },
  '099_node_versions': { up: nodeVersions },
  '102_owner_limits': { up: ownerLimits },
  '116_build_log_times': { up: buildLogTimes },
  '125_deployment_images': { up: deploymentImages },
  '126_nodes': { up: nodes },
  '127_node_invites': { up: nodeInvites },
  '130_release_commands': { up: releaseCommands },
  '137_preview_links': { up: previewLinks },
  '138_ai_reservations': { up: aiReservations },
  '139_git_hosts': { up: gitHosts },
  '140_operator_settings': { up: operatorSettings },
  '141_disks': { up: disks },
  '142_app_databases': { up: appDatabases },
  '143_renewal_info': { up: renewalInfo },
  '144_build_retries': { up: buildRetries },
  '145_charts': { up: db => charts(db, engine) },
  '146_preview_databases': { up: previewDatabases },
  '147_seeds': { up: seeds },
  '148_preview_data': { up: previewData },
  '149_last_activity': { up: lastActivity },
  '150_filled_databases': { up: filledDatabases },
  '151_preview_disks': { up: previewDisks },
  '155_backup_keys': { up: backupKeys },
  '156_shared_disks': { up: sharedDisks },
  '160_deployment_orders': { up: deploymentOrders },
  '161_due_rows': { up: dueRows },
  '162_commits_of_uploads': { up: commitsOfUploads },
  '163_branch_order': { up: branchOrder },
})

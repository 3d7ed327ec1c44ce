// The key of the lists of backups at a place, where a private key elsewhere opens the backups themselves.
export const placeOfBackupKey = (place: string): string[] => ['backup_keys', place, 'sealed']

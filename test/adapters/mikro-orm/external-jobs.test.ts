import { externalFilesContract } from '../../contracts/external-files.ts';
import { externalJobsContract } from '../../contracts/external-jobs.ts';
import { sharedStoreKinds } from '../../support/store/shared-stores.ts';

for (const [kind, open] of Object.entries(sharedStoreKinds))
  for (const contract of [externalJobsContract, externalFilesContract])
    contract(`in ${kind} that two hosts share`, open);

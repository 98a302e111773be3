import { version } from '../../version.ts';
import { type Finding, ok } from '../finding.ts';

/** Names the versions that are in use. An older Node is refused before any command begins. */
export async function checkNode(): Promise<Finding[]> {
  return [ok(`Horarium ${version} on Node ${process.versions.node} (${process.execPath})`)];
}

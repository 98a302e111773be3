/** A file that the handbook hands out beside its pages. */
export interface HandbookFile {
  readonly name: string;
  /** Its place in the handbook. */
  readonly path: string;
  readonly mime: string;
  readonly summary: string;
  /** The name of the operation that reads it. */
  readonly operation: string;
}

export const handbookFiles: readonly HandbookFile[] = [
  {
    name: 'alerts.yml',
    path: 'operate/monitoring/alerts.yml',
    mime: 'application/yaml; charset=utf-8',
    summary: 'Download alert rules for Prometheus',
    operation: 'readAlertRules',
  },
  {
    name: 'dashboard.json',
    path: 'operate/monitoring/dashboard.json',
    mime: 'application/json; charset=utf-8',
    summary: 'Download a dashboard for Grafana',
    operation: 'readDashboard',
  },
];

/** Returns the file of the handbook at an address; undefined = it has none there. */
export function handbookFileAt(address: URL, folder: URL): HandbookFile | undefined {
  return handbookFiles.find(({ path }) => new URL(path, folder).href === address.href);
}

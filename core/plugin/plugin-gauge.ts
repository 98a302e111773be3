/** A figure that a plugin measures, for monitoring. It is read when the metrics are; each process has its own. */
export interface PluginGauge {
  /** Its name in the metrics without the prefix `horarium_`: `queue_watch_seen_jobs`. */
  readonly name: string;
  /** What it measures, as a sentence. */
  readonly help: string;
  /** Reads it; null = it is not known at the moment, and left out, as it is where this throws. */
  read(): Promise<number | null>;
}

import { Container, ContainerModule, type ServiceIdentifier } from 'inversify';
import { serviceIds } from './service-ids.ts';

/**
 * The container of the services that make up a process. Each is opened when it is first requested; disposal closes those
 * that were opened, each before the ones that it may depend on, also when closing one of them fails.
 */
export class Host implements AsyncDisposable {
  readonly #container = new Container({ defaultScope: 'Singleton' });
  readonly #closing: unknown[] = [];
  readonly #failures = new Set<unknown>();

  async add(...modules: readonly ContainerModule[]): Promise<void> {
    for (const module of modules) await this.#container.loadAsync(this.#awaitingClose(module));
  }

  /** Returns a service, opened if need be. @throws what opening it, or a service that it depends on, throws. */
  async get<T>(id: ServiceIdentifier<T>): Promise<T> {
    try {
      return await this.#container.getAsync(id);
    } catch (error) {
      this.#failures.add(error);
      throw error;
    }
  }

  /** Returns every service that is bound to the identifier, in the order of their modules. */
  async getAll<T>(id: ServiceIdentifier<T>): Promise<readonly T[]> {
    return this.#container.isBound(id) ? this.#container.getAllAsync(id) : [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await using services = new AsyncDisposableStack();
    for (const id of Object.values<ServiceIdentifier>(serviceIds)) services.defer(() => this.#close(id));
  }

  async #close(id: ServiceIdentifier): Promise<void> {
    try {
      await this.#container.unbindAsync(id);
      await Promise.all(this.#closing.splice(0));
    } catch (error) {
      // Inversify stores the failure to open a service, and fails with it again when that service is to be closed.
      if (!this.#failures.has(error)) throw error;
    }
  }

  /** Inversify awaits what a binding's own `onDeactivation` returns, but not what a module's does. */
  #awaitingClose(module: ContainerModule): ContainerModule {
    return new ContainerModule((options) =>
      module.load({
        ...options,
        onDeactivation: (id, close) =>
          options.onDeactivation(id, (service) => {
            const closed = close(service);
            this.#closing.push(closed);
            return closed;
          }),
      }),
    );
  }
}

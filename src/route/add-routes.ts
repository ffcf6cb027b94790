/** The interface by which a feature adds its routes to the application without depending on the server. */
import type { Elysia } from 'elysia';

/** Adds a feature's routes, with their description, to the application. */
export type AddRoutes = (app: Elysia) => void;

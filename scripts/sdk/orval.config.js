export default { tollkeeper: { input: "./openapi.yaml", output: { target: "./orval/client.ts", client: "fetch", mode: "single", baseUrl: { runtime: "process.env.SERVER_URL" } } } };

"""The assistant as an agent in editors, by the Agent Client Protocol over stdio."""
